"""Writes JSON schemas for kubeconform, made of what the API server itself publishes about its objects.

    schemas.py DIR    writes DIR/KIND-GROUP-VERSION.json for every kind
"""
import json
import os
import sys

from kube import Kube


def strict(schema):
    """The same schema, but fields that it does not know are refused, as by the server with strict validation."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for key, value in schema.items():
        if key == "$ref":
            result[key] = value.replace("#/components/schemas/", "#/definitions/")
        elif key == "properties":
            result[key] = {name: strict(each) for name, each in value.items()}
        elif key not in ("default", "description", "format") and not key.startswith("x-"):
            result[key] = strict(value)
    if schema.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
        result.pop("type", None)
        result["oneOf"] = [{"type": "integer"}, {"type": "string"}]
    is_open = "additionalProperties" in schema or schema.get("x-kubernetes-preserve-unknown-fields")
    if "properties" in schema and not is_open:
        result["additionalProperties"] = False
    return result


def references(schema, found, definitions):
    if isinstance(schema, list):
        for each in schema:
            references(each, found, definitions)
    elif isinstance(schema, dict):
        name = schema.get("$ref")
        # A property may have that name too.
        if isinstance(name, str) and name.removeprefix("#/definitions/") not in found:
            name = name.removeprefix("#/definitions/")
            found.add(name)
            references(definitions[name], found, definitions)
        for each in schema.values():
            references(each, found, definitions)


def main(directory):
    kube = Kube()
    os.makedirs(directory, exist_ok=True)
    count = 0
    for place in kube.get("/openapi/v3")["paths"].values():
        schemas = kube.get(place["serverRelativeURL"]).get("components", {}).get("schemas", {})
        definitions = {name: strict(schema) for name, schema in schemas.items()}
        for name, schema in schemas.items():
            for kind in schema.get("x-kubernetes-group-version-kind", []):
                if "metadata" not in schema.get("properties", {}):
                    continue
                needed = set()
                references(definitions[name], needed, definitions)
                whole = {
                    **definitions[name],
                    "required": ["apiVersion", "kind", "metadata"],
                    "definitions": {each: definitions[each] for each in sorted(needed)},
                }
                # kubeconform takes the first label of a group.
                group = kind["group"].split(".")[0]
                parts = [kind["kind"].lower(), group, kind["version"].lower()]
                with open(f"{directory}/{'-'.join(filter(None, parts))}.json", "w") as file:
                    json.dump(whole, file)
                count += 1
    print(f"schemas of {count} kinds")


main(sys.argv[1])
