"""Judges documents by JSON Schemas, independently of halotune.

Reads lines "SCHEMA-FILE<tab>DOCUMENT" on stdin and answers each with a line: "valid", or "invalid" and why.
Exits with 4 when the module jsonschema is missing.
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(4)

validators = {}
for line in sys.stdin:
    name, text = line.rstrip("\n").split("\t", 1)
    if name not in validators:
        with open(name, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)
    error = next(validators[name].iter_errors(json.loads(text)), None)
    if error is None:
        print("valid", flush=True)
    else:
        print("invalid", json.dumps([list(error.absolute_path), error.message])[:300], flush=True)
