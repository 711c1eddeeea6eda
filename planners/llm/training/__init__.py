"""Training of local models with TRL and PEFT, for `homie train sft` and `homie train dpo`.

examples.py -> trainer.py (lora.py, tiny.py) -> what `planners.llm.local` loads
"""
