"""Questions about pictures, without a robot: made from simulated worlds, asked, scored, and audited for leaks.

```
simulated worlds --making--> folder of questions --asking--> answers.jsonl --scoring, table--> results.md
```
"""
