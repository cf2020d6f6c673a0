"""The commands of `mha`: each parses its arguments, runs and prints."""
