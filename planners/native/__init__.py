"""Providers' own APIs, where chat completions lose something: what a model reasoned, what a cache of theirs had.

responses.py: OpenAI's Responses. gemini.py: Google's generateContent. Claude's Messages have a module of their own.
"""
