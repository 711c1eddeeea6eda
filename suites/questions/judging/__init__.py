"""Judging the answers of a run again: by a model, a script, or a world that carries plans out.

```
RUN/answers.jsonl --homie, releases (a judge's replies) or world (plans carried out)--> report.json, results.md
```
"""
