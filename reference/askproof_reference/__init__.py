"""The minimal implementation of all six roles of the specification."""
