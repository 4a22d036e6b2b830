"""Checks the manifests and the compose file of deploy/. Usage: check.py QUANTGATE"""

import pathlib
import re
import subprocess
import sys

import kubernetes_validate
import yaml

VERSION = "1.31"
deploy = pathlib.Path("deploy")
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def flags_of(command):
    """Long flags that the program has for a command."""
    text = subprocess.run([sys.argv[1], *command, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--[a-z][a-z-]*", text))


def check_arguments(arguments, where):
    words = [word for word in arguments if not word.startswith("-")]
    known = flags_of(words)
    for word in arguments:
        if word.startswith("--"):
            expect(word.split("=")[0] in known, f"{where}: {' '.join(words)} has no flag {word}")


def pod_of(document):
    return document["spec"]["template"]["spec"] if document["kind"] in ("Deployment", "Job") else None


documents = []
for path in sorted((deploy / "kubernetes").glob("*.yaml")):
    for document in yaml.safe_load_all(path.read_text()):
        documents.append((path.name, document))
        if document["kind"] == "Kustomization":
            for resource in document["resources"]:
                expect((path.parent / resource).is_file(), f"{path.name}: no file {resource}")
            continue
        try:
            kubernetes_validate.validate(document, VERSION, strict=True)
        except kubernetes_validate.ValidationError as error:
            failures.append(f"{path.name}: {document['kind']}: {error.message}")

if failures:  # what follows stands on the schema
    sys.exit("\n".join(failures))

by_kind = {}
for name, document in documents:
    by_kind.setdefault(document["kind"], []).append(document)
expect(len(by_kind["Deployment"]) == 1, "one Deployment")
deployment = by_kind["Deployment"][0]
labels = deployment["spec"]["template"]["metadata"]["labels"]
secrets = {secret["metadata"]["name"] for secret in by_kind["Secret"]}

for name, document in documents:
    kind = document["kind"]
    if kind in ("Deployment", "PodDisruptionBudget"):
        expect(document["spec"]["selector"]["matchLabels"].items() <= labels.items(), f"{name}: selects no server")
    if kind == "Service":
        expect(document["spec"]["selector"].items() <= labels.items(), f"{name}: selects no server")
    if kind == "HorizontalPodAutoscaler":
        expect(document["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"], f"{name}: scales nothing")
        budget = by_kind["PodDisruptionBudget"][0]["spec"]["minAvailable"]
        expect(document["spec"]["minReplicas"] > budget, f"{name}: no node could ever be drained")
    if kind == "Ingress":
        for rule in document["spec"]["rules"]:
            for entry in rule["http"]["paths"]:
                service = entry["backend"]["service"]
                ports = [p["name"] for s in by_kind["Service"] if s["metadata"]["name"] == service["name"]
                         for p in s["spec"]["ports"]]
                expect(service["port"]["name"] in ports, f"{name}: no service with port {service}")
    pod = pod_of(document)
    if pod is None:
        continue
    version = re.search(r"project\(\S+ VERSION (\S+)", pathlib.Path("CMakeLists.txt").read_text()).group(1)
    if kind == "Job":
        job = document["metadata"]["name"]
        expect(job.endswith(version.replace(".", "-")), f"{name}: job {job} is not that of version {version}")
    if kind == "Deployment":
        first = [container["args"][:2] for container in pod["initContainers"]]
        expect(["reports", "migrate"] in first, f"{name}: servers do not wait for the schema")
    for container in pod.get("initContainers", []) + pod["containers"]:
        check_arguments(container["args"], name)
        expect(container["image"] == f"quantgate:{version}", f"{name}: {container['image']} is another version")
        for source in container.get("envFrom", []):
            expect(source["secretRef"]["name"] in secrets, f"{name}: no example of secret {source}")
    for container in pod["containers"]:
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if kind != "Deployment":
                continue
            expect(probe in container, f"{name}: no {probe}")
            target = container[probe].get("grpc") or container[probe].get("httpGet")
            expect(target["port"] in ports or target["port"] in ports.values(), f"{name}: {probe} asks no port")
        for argument in container["args"]:
            for flag, port in (("--listen=", "grpc"), ("--http=", "http")):
                if argument.startswith(flag):
                    expect(int(argument.rsplit(":", 1)[1]) == ports[port], f"{name}: {argument} is not port {port}")

compose = yaml.safe_load((deploy / "compose.yaml").read_text())
services = compose["services"]
for name, service in services.items():
    expect("image" in service, f"compose: {name} has no image")
    if service["image"] == "quantgate":
        check_arguments(service["command"], f"compose: {name}")
    for dependency in service.get("depends_on", {}):
        expect(dependency in services, f"compose: {name} depends on {dependency}, which is not there")
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        expect(source in compose["volumes"] or (deploy / source).exists(), f"compose: {name} has no volume {source}")
    for port in service.get("ports", []):
        expect(port.startswith("127.0.0.1:"), f"compose: {name} is open to all machines")
servers = set(re.findall(r"server \S+ (\S+):50051 port 9464", (deploy / "balancer/haproxy.cfg").read_text()))
expect(servers == {name for name in services if name.startswith("quantgate-")}, "balancer: other servers than compose")

for failure in failures:
    print(failure)
print(f"{len(documents)} manifests, {len(services)} services, {len(failures)} failures")
sys.exit(1 if failures else 0)
