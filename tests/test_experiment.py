"""The experiment: its sentences, its models, its measurements, its files."""

import io
import json
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from mha import measured as files_of_results
from mha.__main__ import main
from mha.commands import experiment as command
from mha.experiment import (
    CENTRE,
    HEADS,
    Results,
    Training,
    experiment,
    files,
    one_thread,
    percent,
    summaries,
    trainings,
)
from mha.experiment.files import (
    examination,
    read_model,
    read_results,
    save_model,
    save_results,
)
from mha.experiment.grammar import (
    BANKS,
    LONGEST,
    ORDERS,
    QUESTIONS,
    ROLES,
    SLOTS,
    answers,
    draw,
    first_tokens,
    meanings,
    read,
    say,
    vocabulary,
    written,
)
from mha.experiment.model import (
    Reader,
    is_right,
    looks,
    weights,
    with_weights,
    without_head,
)
from mha.experiment.runs import SETTINGS, Setting, measured, parts
from mha.experiment.summary import setting_of
from mha.experiment.training import new_reader

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "docs" / "measured"
TINY = Setting(words=3, width=4, steps=5)


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(7)


@pytest.fixture(scope="module")
def tiny() -> list:
    """Two small models that have hardly learned, with their runs."""
    asked = [Training(TINY, num_heads, seed) for num_heads, seed in ((1, 0), (2, 3))]
    with one_thread():
        return list(experiment(asked))


# The sentences


def test_a_sentence_reads_like_one_and_has_the_answers_that_it_says():
    meant = torch.tensor([[0, 1, 0, 2, 0], [2, 0, 1, 1, 0], [1, 1, 1, 0, 2]])

    sentences = say(meant, torch.tensor([1, 4, 6]), words=3)

    assert [" ".join(told) for told in files.told(sentences, 3)] == [
        "At the bank Anna sent Carla the oar. Anna sent oar Carla bank the river's",
        "Ben was sold the mask by Carla at the bank. "
        "Carla sold mask Ben bank the robbed one",
        "The mask was sent to Anna by Ben at the harbour. "
        "Ben sent mask Anna harbour no bank",
    ]


def test_what_is_written_is_read_again():
    sentences = draw(meanings(4, generator())[0], 4, 50, generator())
    texts = [written(tokens, 4) for tokens in sentences.tokens.tolist()]

    tokens, ends = read(texts, 4)

    assert torch.equal(tokens, sentences.tokens)
    assert torch.equal(ends, sentences.ends)


@pytest.mark.parametrize("text", ["Anna ate the oar.", "Anna " * 12 + "."])
def test_an_unknown_or_long_sentence_is_refused(text: str):
    with pytest.raises(ValueError, match="at most 11 words, each of them known, got"):
        read([text], 3)


def test_words_differ_and_a_bank_is_one_token():
    known = vocabulary(16)

    assert len(set(known)) == len(known) == 6 + 4 * 16
    assert known.count("bank") == 1


def test_roles_are_balanced():
    every = torch.cat(meanings(4, generator()))
    sentences = draw(every, 4, 8000, generator())
    who, whom = ROLES.index("who"), ROLES.index("to whom")
    counts = [sentences.answers[:, role].bincount() for role in (who, whom)]
    banks = sentences.answers[:, QUESTIONS.index("which bank")].bincount()

    for count in counts:
        assert count.min() > 0.8 * count.max()
    assert_close(banks / 8000, torch.tensor([0.25, 0.25, 0.5]), atol=0.03, rtol=0)


def test_neither_position_nor_turn_alone_says_who_gives():
    at = {slot: {order.index(slot) for order in ORDERS} for slot in ("WHO", "WHOM")}
    first = [order.index("WHO") < order.index("WHOM") for order in ORDERS]

    assert at["WHO"] & at["WHOM"] == {0, 3}
    assert first.count(True) == first.count(False)


def test_the_length_tells_the_orders_that_share_a_position_apart():
    for length in {len(order) for order in ORDERS}:
        same = [order for order in ORDERS if len(order) == length]
        who = {order.index("WHO") for order in same}
        assert not who & {order.index("WHOM") for order in same}


def test_the_bank_is_ambiguous_without_the_thing():
    meant = meanings(4, generator())[0]
    sentences = say(meant, torch.zeros(len(meant), dtype=torch.long), 4)
    found: dict[tuple[int, ...], set[int]] = {}
    for *words, bank in sentences.answers[meant[:, -1] == 0].tolist():
        words[ROLES.index("what")] = -1
        found.setdefault(tuple(words), set()).add(bank)

    assert {len(banks) for banks in found.values() if len(banks) > 1} == {2}
    assert sum(len(banks) == 2 for banks in found.values()) > 0.7 * len(found)


@pytest.mark.parametrize("words", [2, 4, 8])
def test_no_meaning_of_the_test_is_in_training(words: int):
    training, test = meanings(words, generator())

    said = {tuple(meant) for meant in training.tolist()}
    asked = {tuple(meant) for meant in test.tolist()}
    assert len(said) + len(asked) == words * (words - 1) * words**3
    assert len(asked) == (len(said) + len(asked)) // 4
    assert not said & asked


def test_no_sentence_of_the_published_test_is_in_training():
    known, test = parts(CENTRE.words)
    said = {tuple(meant) for meant in known.tolist()}

    texts = [text for text, *_ in read_results(MEASURED / "experiment.json").sentences]

    assert [written(tokens, CENTRE.words) for tokens in test.tokens.tolist()] == texts
    assert not said & {tuple(right) for right in test.answers[:, :5].tolist()}


# The models


def test_every_head_count_has_the_same_number_of_weights():
    for setting in SETTINGS:
        counts = {
            sum(
                weight.numel()
                for weight in Reader(setting.words, setting.width, heads).parameters()
            )
            for heads in HEADS
        }
        assert len(counts) == 1


def test_words_behind_the_full_stop_are_not_seen():
    model = new_reader(3, 4, 2, seed=0)
    tokens, ends = read(["Anna sold Ben the oar at the bank."], 3)
    other = tokens.clone()
    other[0, ends[0] + 1 :] = 0

    assert_close(model(tokens, ends), model(other, ends), atol=0, rtol=0)


@torch.no_grad()
def test_looks_are_the_weights_that_the_layer_uses():
    model = new_reader(3, 6, 2, seed=0).double()
    sentences = draw(meanings(3, generator())[0], 3, 20, generator())
    x = model.word(sentences.tokens) + model.position.weight
    values = model.attention.W_value(x).view(20, LONGEST, 2, 3).transpose(1, 2)

    attention = looks(model, sentences.tokens, sentences.ends)[:, :, None]

    brought = (attention @ values).reshape(20, 6)
    expected = model.attention(x)[torch.arange(20), sentences.ends]
    assert_close(model.attention.out_proj(brought), expected)


@torch.no_grad()
def test_switching_a_head_off_removes_its_summand_of_the_output_projection():
    model = new_reader(3, 6, 3, seed=0).double()
    x = torch.rand(2, LONGEST, 6, dtype=torch.double)
    glued: list[torch.Tensor] = []
    model.attention.out_proj.register_forward_pre_hook(
        lambda _, inputs: glued.append(inputs[0])
    )
    whole = model.attention(x)
    part = slice(2, 4)  # of head 1
    summand = glued[0][..., part] @ model.attention.out_proj.weight[:, part].T

    without = without_head(model, 1).attention(x)

    assert summand.abs().min() > 0
    assert_close(without, whole - summand)


def test_switching_a_head_off_leaves_the_model_as_it_was():
    model = new_reader(3, 4, 2, seed=0)
    before = weights(model)

    without_head(model, 0)

    assert weights(model) == before


def test_two_runs_give_the_same_numbers(tiny):
    (run, model), _ = tiny
    torch.manual_seed(99)  # it must not matter
    with one_thread():
        ((again, twin),) = experiment([Training(TINY, 1, 0)])

    assert again == run
    assert weights(twin) == weights(model)


def test_training_leaves_the_seed_and_the_threads_of_torch_alone():
    threads = torch.get_num_threads()
    torch.manual_seed(5)
    expected = torch.rand(3)

    torch.manual_seed(5)
    with one_thread():
        inside = torch.get_num_threads()
        list(experiment([Training(TINY, 2, 1)]))

    assert (inside, torch.get_num_threads()) == (1, threads)
    assert torch.equal(torch.rand(3), expected)


def test_threads_are_as_before_after_an_error():
    threads = torch.get_num_threads()

    with pytest.raises(KeyboardInterrupt), one_thread():
        raise KeyboardInterrupt

    assert torch.get_num_threads() == threads


def test_what_is_measured_are_the_rounded_weights(tiny):
    _, (run, model) = tiny
    copy = with_weights(
        new_reader(3, 4, 2, seed=9), json.loads(json.dumps(weights(model)))
    )
    test = parts(3)[1]

    right = is_right(copy, test)

    assert torch.equal(right, is_right(model, test))
    assert run.all_right == round(right.all(dim=1).double().mean().item(), 4)


def test_losses_and_looks_have_a_row_for_each_head(tiny):
    for run, _ in tiny:
        assert [len(row) for row in run.lost] == [len(QUESTIONS)] * run.num_heads
        assert [sum(row) for row in run.looks] == [pytest.approx(1, abs=1e-3)] * (
            run.num_heads
        )


def test_each_head_count_has_five_seeds_and_elsewhere_three():
    asked = trainings()
    seeds: dict[tuple[Setting, int], set[int]] = {}
    for training in asked:
        group = seeds.setdefault((training.setting, training.num_heads), set())
        group.add(training.seed)

    assert len(asked) == len(set(asked))
    assert seeds == {
        (setting, heads): set(range(5 if setting == CENTRE else 3))
        for setting in SETTINGS
        for heads in HEADS
    }


# The files


def results_of(tiny) -> Results:
    return Results({"command": "tiny"}, [run for run, _ in tiny], [["Anna.", "Anna"]])


def test_results_come_back_from_their_file(tiny, tmp_path: Path):
    results = results_of(tiny)

    save_results(tmp_path / "r.json", results)

    assert read_results(tmp_path / "r.json") == results


def test_a_model_comes_back_from_its_file(tiny, tmp_path: Path):
    run, model = tiny[1]

    save_model(tmp_path / "m.json", model, run, {"command": "tiny"})

    again, same = read_model(tmp_path / "m.json")
    assert same == run
    assert weights(again) == weights(model)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "r.json must be JSON, got: Expecting"),
        ("\xff", "r.json must be JSON, got: 'utf-8' codec"),
        ("[1]", "must be of kind 'mha experiment: results', got None"),
        ('{"kind": "tea"}', "must be of kind 'mha experiment: results', got 'tea'"),
    ],
)
def test_a_foreign_file_is_refused(text: str, said: str, tmp_path: Path):
    (tmp_path / "r.json").write_text(text, "latin-1")

    with pytest.raises(ValueError, match=said):
        read_results(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update(questions=["why"]), "must answer the questions"),
        (lambda data: data.pop("runs"), "must hold results, got: KeyError"),
        (lambda data: data["runs"][0].pop("lost"), "got: KeyError.'lost'"),
        (lambda data: data["runs"][0].update(accuracy="x"), "got: TypeError"),
        (lambda data: data["runs"][0].update(accuracy=None), "got: RuntimeError"),
        (lambda data: data["runs"][0].update(accuracy=[1.0]), "accuracy must be"),
        (lambda data: data.update(runs=[[]]), "got: TypeError"),
        (lambda data: data["runs"][1].update(num_heads=3), "lost must be"),
    ],
)
def test_damaged_results_are_refused(tiny, change, said: str, tmp_path: Path):
    save_results(tmp_path / "r.json", results_of(tiny))
    data = json.loads((tmp_path / "r.json").read_text("utf-8"))
    change(data)
    (tmp_path / "r.json").write_text(json.dumps(data), "utf-8")

    with pytest.raises(ValueError, match=said):
        read_results(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update(vocabulary=["tea"]), "not those of the grammar"),
        (lambda data: data["weights"].pop("word.weight"), "Missing key"),
        (lambda data: data["run"].update(width=5), "divisible"),
        (lambda data: data.update(weights=[]), "AttributeError"),
    ],
)
def test_a_damaged_model_is_refused(tiny, change, said: str, tmp_path: Path):
    run, model = tiny[1]
    save_model(tmp_path / "m.json", model, run, {})
    data = json.loads((tmp_path / "m.json").read_text("utf-8"))
    change(data)
    (tmp_path / "m.json").write_text(json.dumps(data), "utf-8")

    with pytest.raises(ValueError, match=f"m.json must hold a model, got: .*{said}"):
        read_model(tmp_path / "m.json")


# What is published


def published() -> Results:
    return read_results(MEASURED / "experiment.json")


def test_the_published_results_are_whole():
    asked = [
        (training.setting, training.num_heads, training.seed)
        for training in trainings()
    ]

    done = [(setting_of(run), run.num_heads, run.seed) for run in published().runs]

    assert done == asked
    assert published().sentences == examination()


@pytest.mark.parametrize("num_heads", HEADS)
def test_a_published_model_gives_the_answers_that_were_measured(num_heads: int):
    results = published()
    model, run = read_model(MEASURED / f"experiment_heads_{num_heads}.json")
    texts, *right = zip(*results.sentences)
    choices = answers(run.words).values()

    with torch.no_grad():
        scores = model(*read(texts, run.words))

    given = [
        [choice[number] for number in score.argmax(dim=1).tolist()]
        for choice, score in zip(choices, scores)
    ]
    accuracy = [
        round(sum(map(str.__eq__, mine, theirs)) / len(texts), 4)
        for mine, theirs in zip(given, right)
    ]
    assert accuracy == run.accuracy
    assert run in results.runs
    assert (setting_of(run), run.seed) == (CENTRE, 0)


@torch.no_grad()
def test_a_published_loss_is_the_accuracy_without_the_head():
    model, run = read_model(MEASURED / "experiment_heads_4.json")
    test = parts(run.words)[1]
    again = measured(Training(CENTRE, 4, 0), model, test)
    kept = torch.ones(run.width)
    kept[4:8] = 0  # head 1
    model.attention.out_proj.register_forward_pre_hook(
        lambda _, inputs: inputs[0] * kept
    )

    accuracy = is_right(model, test).double().mean(dim=0)

    lost = torch.tensor(run.accuracy) - accuracy
    assert again.lost == run.lost
    assert_close(lost, torch.tensor(run.lost[1]).double(), atol=2e-4, rtol=0)
    assert lost.max() > 0.5


def test_published_looks_are_shares_of_the_words_that_are_asked_for():
    model, run = read_model(MEASURED / "experiment_heads_4.json")
    test, first = parts(run.words)[1], torch.tensor(first_tokens(run.words))
    place = ROLES.index("where")
    token = test.answers[:, place] + first[place]  # (b,)

    attention = looks(model, test.tokens, test.ends)  # (b, num_heads, LONGEST)

    found = (test.tokens == token[:, None]).float()
    shares = (attention * found[:, None]).sum(dim=2).mean(dim=0)
    expected = torch.tensor([row[place] for row in run.looks])
    assert_close(shares, expected, atol=2e-4, rtol=0)


@pytest.mark.parametrize("num_heads", HEADS)
def test_a_published_model_says_all_that_a_page_needs(num_heads: int):
    data = files_of_results.read(
        MEASURED / f"experiment_heads_{num_heads}.json", files.MODEL
    )
    words, known = CENTRE.words, vocabulary(CENTRE.words)

    assert data["vocabulary"] == known
    assert data["answers"] == answers(words)
    assert data["answers"]["which bank"] == list(BANKS)
    assert data["examples"] == published().sentences[: len(data["examples"])]
    assert (data["context_length"], data["head_dim"]) == (LONGEST, 16 // num_heads)
    assert [known[number] for number in first_tokens(words)][-1] == "bank"
    assert len(SLOTS) == len(ROLES)


# The command


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _signals():
    """The signals of a program in the foreground; then as they were."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in zip(numbers, before):
        signal.signal(number, handler)


@pytest.fixture
def small(monkeypatch):
    """The command with three runs of two steps, in place of the middle setting's."""
    middle = replace(CENTRE, steps=2)
    asked = [Training(middle, *run) for run in ((1, 0), (2, 0), (2, 1))]
    monkeypatch.setattr(command, "trainings", lambda: asked)
    for module in (command, files):
        monkeypatch.setattr(module, "CENTRE", asked[0].setting)
    monkeypatch.setattr(command, "SETTINGS", (asked[0].setting,))


@pytest.mark.usefixtures("small")
def test_the_command_writes_results_and_models_and_says_what_came_out(
    tmp_path: Path, capsys
):
    folder = tmp_path / "new" / "measured"

    assert main(["experiment", "--out", str(folder)]) == 0

    said = capsys.readouterr()
    assert said.err == ""
    assert "which bank" in said.out
    assert "1 head " in said.out
    assert sorted(file.name for file in folder.iterdir()) == [
        "experiment.json",
        "experiment_heads_1.json",
        "experiment_heads_2.json",
    ]
    results = read_results(folder / "experiment.json")
    assert len(results.runs) == 3
    one, two = summaries(results.runs)
    ranges = f"{percent(min(two.all_right))} to {percent(max(two.all_right))}"
    assert f"1      {percent(one.mean)} " in said.out
    assert ranges in said.out
    assert results.provenance["threads"] == 1
    assert read_model(folder / "experiment_heads_2.json")[1] == results.runs[1]


@pytest.mark.usefixtures("small")
def test_a_terminal_shows_a_bar_and_without_a_folder_nothing_is_written(
    tmp_path: Path, monkeypatch
):
    err, out = Terminal(), Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.chdir(tmp_path)

    assert main(["experiment"]) == 0

    assert "Training" in err.getvalue()
    assert "which bank" in " ".join(out.getvalue().split())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named_before_the_work(
    tmp_path: Path, monkeypatch, capsys
):
    monkeypatch.setattr(command, "experiment", lambda _: pytest.fail("it worked"))
    (tmp_path / "file").touch()

    assert main(["experiment", "--out", str(tmp_path / "file")]) == 2

    assert "FOLDER must be one that can be written, got: " in capsys.readouterr().err


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_what_is_finished_is_kept_when_it_is_interrupted(
    number: int, status: int, tmp_path: Path, monkeypatch
):
    def interrupted(asked):
        yield from experiment(asked[:1])
        signal.raise_signal(number)

    monkeypatch.setattr(command, "experiment", interrupted)
    threads = torch.get_num_threads()

    try:
        ended = main(["experiment", "--out", str(tmp_path)])
    except SystemExit as error:  # the way in which a program ends on SIGTERM
        ended = error.code

    assert ended == status
    assert len(read_results(tmp_path / "experiment.json").runs) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "experiment.json",
        "experiment_heads_1.json",
    ]
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(
    ("share", "said"),
    [(1, "100"), (0.998, "99"), (0.994, "99"), (0.5, "50"), (-0.001, "0"), (0, "0")],
)
def test_a_hundred_percent_means_all(share: float, said: str):
    assert percent(share) == said
