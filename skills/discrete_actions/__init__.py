"""Single moves of a robot as the planner's actions.

`--skills steps`: the eight small actions of EB-Navigation, by the base and the head (docs/published-benchmarks.md).
`--skills graph`: moves on a graph of navigation points, as EmbodiedEval's agents move (section 3.2.1 of its paper).
`--skills arm`: Move, the pose of an arm's tool as seven numbers, as EmbodiedBench has them.

home at the start --survey--> Ground --chart--> Graph --Move forward, Turn left, ...--> the next pose
"""
