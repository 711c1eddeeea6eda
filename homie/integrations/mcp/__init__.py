"""An MCP server (`homie serve mcp`): any agent that speaks the Model Context Protocol drives a robot by tool calls.

agent --tools/call--> server --Seat: who holds the robot--> Driver --> Session, or an episode of a suite

Needs the extra `mcp`, which only `server` and `http` import.
"""
