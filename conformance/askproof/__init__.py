"""The conformance kit for programs that ask a human on behalf of a coding agent."""

__version__ = "0.1.0"
