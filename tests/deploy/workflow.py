"""Runs the steps of deploy/github-workflow.example.yaml in a repository of two models. Usage: workflow.py QUANTGATE"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

DATA = pathlib.Path("tests/data").resolve()
job = yaml.safe_load(pathlib.Path("deploy/github-workflow.example.yaml").read_text())["jobs"]["check"]
scripts = {step["name"]: step["run"] for step in job["steps"] if "name" in step and "run" in step}
assert job["defaults"]["run"]["shell"] == "bash"
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def run(name, repository, variables):
    """A step as GitHub runs those of shell bash."""
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[name]], cwd=repository,
                          env=variables, capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    repository, tools = place / "repository", place / "tools"
    (repository / "a folder").mkdir(parents=True)
    tools.mkdir()
    (tools / "quantgate").symlink_to(sys.argv[1])
    shutil.copy(DATA / "onnx/resnet8.qnn_a16_mixed.onnx", repository / "model.onnx")
    shutil.copy(DATA / "tflite/bad.softmax_scale.dscnn.int16x8.tflite", repository / "a folder/model.tflite")
    subprocess.run(["git", "init", "-q", "."], cwd=repository, check=True)
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    variables = {**os.environ, **job["env"], "HOME": folder, "RUNNER_TEMP": folder,
                 "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": f"{folder}/summary"}

    for patterns in ("*.pt2", ""):
        step = run("Models and flags", repository, {**variables, "MODELS": patterns})
        expect(step.returncode != 0, f"MODELS '{patterns}' names no model and passes")
        expect("MODELS" in step.stdout + step.stderr, f"MODELS '{patterns}': {step.stdout}{step.stderr}")
    step = run("Models and flags", repository, variables)
    expect(step.returncode == 0, step.stderr)
    step = run("Check", repository, variables)
    expect(step.returncode == 1, f"exit {step.returncode}: {step.stderr}")
    for model in ("model.onnx", "a folder/model.tflite"):
        expect(f"::error file={model}" in step.stdout, f"no annotation of {model}: {step.stdout}")
    step = run("Reports", repository, variables)
    expect(step.returncode == 0, step.stderr)
    for ending in ("sarif", "junit", "markdown", "json"):
        expect((repository / f"quantgate.{ending}").is_file(), f"no report as {ending}")
    expect(len(json.loads((repository / "quantgate.json").read_text())) == 2, "not one report a model")
    expect((place / "summary").read_text(), "no summary")

for failure in failures:
    print(failure)
print(f"workflow: {len(failures)} failures")
sys.exit(1 if failures else 0)
