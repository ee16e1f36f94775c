#!/usr/bin/python3
"""Checks the templates for Kubernetes and AWS Batch in the documentation against the schemas of their clients.

Needs the Debian packages python3-kubernetes, python3-botocore and python3-yaml.
"""

import json
import pathlib
import re
import sys

import botocore.loaders
import botocore.model
import botocore.validate
import kubernetes.client
import yaml

PAGES = pathlib.Path(__file__).parents[2] / "Sources/Respool/Respool.docc"


def block(page, language):
    """Returns the only block of a page in a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(), re.S | re.M)
    if len(found) != 1:
        sys.exit(f"{page} has {len(found)} blocks of {language}")
    return found[0]


def check_type(value, kind, place):
    """Compares a value with a type of the Kubernetes API, as the Python client describes it."""
    if match := re.fullmatch(r"list\[(.*)\]", kind):
        require(isinstance(value, list), f"{place} is a list")
        for index, item in enumerate(value):
            check_type(item, match[1], f"{place}[{index}]")
    elif match := re.fullmatch(r"dict\((.*?), (.*)\)", kind):
        require(isinstance(value, dict), f"{place} is a mapping")
        for name, item in value.items():
            check_type(item, match[2], f"{place}.{name}")
    elif kind in ("str", "int", "bool"):
        require(type(value).__name__ == kind, f"{place} is of the type {kind}")
    elif kind != "object":
        model = getattr(kubernetes.client, kind)
        names = {api: name for name, api in model.attribute_map.items()}
        for name, item in value.items():
            require(name in names, f"{place} has a field {name}")
            check_type(item, model.openapi_types[names[name]], f"{place}.{name}")
        # A model refuses to be made without what it needs.
        model(**{names[name]: item for name, item in value.items()})


def require(holds, claim):
    if not holds:
        sys.exit(f"it is not so that {claim}")


job = yaml.safe_load(block("KubernetesJobs.md", "yaml"))
# Two fields are newer than the client of Debian 12, which is for Kubernetes 1.22 (Kubernetes API, "JobSpec v1 batch").
require(type(job["spec"].pop("backoffLimitPerIndex")) is int, "backoffLimitPerIndex is a number")
for rule in job["spec"].pop("podFailurePolicy")["rules"]:
    require(rule.pop("action") in ("FailIndex", "FailJob", "Ignore", "Count"), "the action exists")
    codes, conditions = rule.pop("onExitCodes", None), rule.pop("onPodConditions", None)
    require(not rule and (codes is None) != (conditions is None), "a rule has one condition")
    if codes:
        require(codes.pop("operator") in ("In", "NotIn"), "the operator exists")
        require(all(type(code) is int for code in codes.pop("values")), "codes are numbers")
        require(not codes, "onExitCodes has no other fields")
    for condition in conditions or []:
        require(set(condition) == {"type", "status"}, "a condition has a type and a status")
# With a policy for failures, pods must not restart by themselves.
require(job["spec"]["template"]["spec"]["restartPolicy"] == "Never", "pods do not restart")
check_type(job, "V1Job", "job")
count = str(job["spec"]["completions"])
arguments = job["spec"]["template"]["spec"]["containers"][0]["args"]
require(arguments[arguments.index("--shards") + 1] == count, "completions is the number of shares")

definition = json.loads(block("AWSBatchArrays.md", "json"))
service = botocore.model.ServiceModel(
    botocore.loaders.Loader().load_service_model("batch", "service-2"), "batch"
)
shape = service.operation_model("RegisterJobDefinition").input_shape
report = botocore.validate.ParamValidator().validate(definition, shape)
require(not report.has_errors(), f"the job definition is valid: {report.generate_report()}")
print("the templates for Kubernetes and AWS Batch fit their schemas")
