"""What the tests of remote robots share."""

from remote_servers import serve

__all__ = ["serve"]
