"""MCP server (`homie serve mcp`): agents that speak the Model Context Protocol control a robot by tool calls.

agent --tools/call--> server --Seat: which client controls the robot--> Driver --> Session, or an episode of a suite

Needs the extra `mcp`, which only `server` and `http` import.
"""
