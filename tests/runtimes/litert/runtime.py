"""LiteRT asked what it makes of models, in child processes: it ends its process on some of them."""
import dataclasses
import faulthandler
import multiprocessing
import os

import numpy
from ai_edge_litert import interpreter as litert

# What the runtimes are called in target names, and how LiteRT is told to use nothing else.
RESOLVERS = {'reference': litert.OpResolverType.BUILTIN_REF, 'xnnpack': litert.OpResolverType.AUTO}


@dataclasses.dataclass
class Answer:
    error: str = ''  # why it does not load, allocate or run
    delegated: bool = False
    outputs: list = None  # of each draw of inputs, the output tensors


def run(model, inputs, resolver):
    answer = Answer()
    try:
        interpreter = litert.Interpreter(model_content=model, experimental_op_resolver_type=RESOLVERS[resolver],
                                         num_threads=1)
        interpreter.allocate_tensors()
        outputs = []
        for draw in inputs:
            for detail, numbers in zip(interpreter.get_input_details(), draw):
                interpreter.set_tensor(detail['index'], numbers)
            interpreter.invoke()
            outputs.append([interpreter.get_tensor(detail['index']) for detail in interpreter.get_output_details()])
        answer.outputs = outputs
        answer.delegated = any(op['op_name'] == 'DELEGATE' for op in interpreter._get_ops_details())
    except (RuntimeError, ValueError, TypeError) as error:
        answer.error = str(error).replace('\n', ' ') or type(error).__name__
    return answer


def _work(batch, pipe):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # LiteRT's own messages
    faulthandler.disable()
    for model, inputs, resolver in batch:
        pipe.send(run(model, inputs, resolver))
    pipe.close()


def ask(questions, seconds=6):
    """An Answer for each (model, inputs, resolver). A process that dies answers for the model that it died of."""
    context = multiprocessing.get_context('fork')
    answers = []
    while len(answers) < len(questions):
        receive, send = context.Pipe(False)
        first = len(answers)
        child = context.Process(target=_work, args=(questions[len(answers):], send))
        child.start()
        send.close()
        alone = True
        try:
            while len(answers) < len(questions) and receive.poll(seconds):
                answers.append(receive.recv())
        except EOFError:
            pass
        else:
            alone = len(answers) == len(questions)
        if not alone:
            child.kill()
        child.join()
        # What it died of may be the work of a model before: asked again, alone.
        if len(answers) < len(questions) and len(answers) == first:
            answers.append(Answer(error=f'the process ended with {child.exitcode}' if alone else 'no answer'))
    return answers
