"""What bears a sentence: numbers, names and negations exactly, words by their share, the other script by vectors."""

from __future__ import annotations

import pytest

from graph.crosslingual import alike
from graph.support import contrary_across, supported
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from tests.fakes.graph import HashEmbedder

TOWER = "The tower has 312 steps. It was finished in 1889 by Anna Gray of England."
STORE = "The cache is not shared between processes. Writers never block readers."
PUMP = (
    "The HX-200 weighs 142 kg and heats with 8.4 kW. Firmware 2.4 appeared on 3 July 2024. The HX-200 does not support"
    " cascade operation. The warranty is seven years. The upgrade is not reversible."
)
OTHER_PUMP = "The HX-300 supports cascade operation of up to six units. The filter is cleaned once a year."
QUEUE = (
    "KuQueue 的负责人是何静澜，毕业于浙江理工大学。消费失败的消息重试16次，消息保留180天。监听端口为9310。"
    "升级过程不可回滚，因为元数据格式发生了变化。扩容前必须先停止合并任务，否则迁移会失败。收入为3.5亿元。"
)
PARAMETER = "该参数不支持热更新。它的默认值是 8。"


@pytest.mark.parametrize(
    ("sentence", "source", "holds"),
    [
        ("The tower was finished by Anna Gray.", TOWER, True),
        ("The tower was finished by Stephen King.", TOWER, False),
        ("It was finished in 1889 by the English builder Gray.", TOWER, True),
        ("It was finished on a Monday in 1889 by Gray.", TOWER, True),
        ("It was finished in March 1889 by Gray.", TOWER, False),
        ("Tower steps: There are 312 steps in the tower.", TOWER, True),
        ("The cache is shared between processes.", STORE, False),
        ("The cache is not shared between processes.", STORE, True),
        ("Processes do not share the cache.", STORE, True),
        ("Writers block readers.", STORE, False),
        ("Writers do not block readers.", STORE, True),
        ("该参数支持热更新。", PARAMETER, False),
        ("该参数不支持热更新。", PARAMETER, True),
        ("该参数无法支持热更新。", PARAMETER, True),
    ],
)
def test_names_and_negations_are_checked_exactly(sentence: str, source: str, holds: bool) -> None:
    assert supported(sentence, [source], "What of it?") is holds


def test_what_the_question_names_may_be_named() -> None:
    assert not supported("The Eiffel tower has 312 steps.", [TOWER], "How many steps are there?")
    assert supported("The Paris Eiffel tower has 312 steps.", [TOWER], "How many steps has the Eiffel tower in Paris?")


def test_a_word_that_only_looks_like_a_negation_denies_nothing() -> None:
    source = "不同进程不仅共享缓存，而且共享配置。该方法非常稳定。"
    assert supported("不同进程共享缓存和配置。", [source], "?")
    assert supported("该方法稳定。", [source], "?")


def test_two_scripts_are_compared_by_meaning() -> None:
    compare = alike(build_embedder(EmbeddingConfig(provider="local")))
    assert compare is not None
    source = ["The tower has 312 steps and was finished in 1889.", "Visitors climb it on foot."]
    assert compare("这座塔有 312 级台阶，于 1889 年建成。", source)
    assert not compare("这家饭店的烤鸭非常好吃。", source)
    bridge = ["桥面可以通行火车，汽车不得上桥。"]
    assert compare("Trains may cross the bridge, cars may not.", bridge)
    assert not compare("Cats sleep sixteen hours a day.", bridge)


def test_an_embedder_that_nobody_measured_compares_nothing() -> None:
    assert alike(HashEmbedder()) is None


@pytest.mark.parametrize(
    ("sentence", "source", "holds"),
    [
        ("The warranty is nine years.", PUMP, False),
        ("The warranty is 7 years.", PUMP, True),
        ("The warranty is seventeen years.", PUMP, False),
        ("The filter is cleaned one time a year.", OTHER_PUMP, True),
        ("消息保留九十天。", QUEUE, False),
        ("消息保留一百八十天。", QUEUE, True),
        ("消费失败的消息重试六十次。", QUEUE, False),
        ("消费失败的消息重试十六次。", QUEUE, True),
        ("监听端口为九三一一。", QUEUE, False),
        ("监听端口为九三一〇。", QUEUE, True),
        ("收入为350000000元。", QUEUE, True),
        ("The HX-200 weighs 142 kW.", PUMP, False),
        ("The HX-200 heats with 8.4 MW.", PUMP, False),
        ("The HX-200 heats with 8.4 kilowatts.", PUMP, True),
        ("The HX-200 weighs 200 kg.", PUMP, False),
    ],
)
def test_numbers_are_compared_by_value_and_unit_however_written(sentence: str, source: str, holds: bool) -> None:
    assert supported(sentence, [source], "?") is holds


@pytest.mark.parametrize(
    ("date", "holds"),
    [
        ("3 July 2024", True),
        ("July 3rd, 2024", True),
        ("2024-07-03", True),
        ("July 2024", True),
        ("4 July 2024", False),
        ("3 August 2024", False),
        ("7 March 2024", False),
        ("3 July 2023", False),
    ],
)
def test_dates_are_compared_as_dates(date: str, holds: bool) -> None:
    assert supported(f"Firmware 2.4 appeared on {date}.", [PUMP], "?") is holds


def test_a_date_is_the_same_in_the_other_language() -> None:
    assert supported("固件 2.4 于2024年7月3日发布。", [PUMP], "?")
    assert not supported("固件 2.4 于2024年7月4日发布。", [PUMP], "?")


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("KuQueue 的负责人是何静澜。", True),
        ("KuQueue 的負責人是何靜瀾。", True),
        ("KuQueue 的负责人是王小明。", False),
        ("KuQueue 由何静澜负责。", True),
        ("KuQueue 由张伟负责。", False),
        ("KuQueue 的何静澜毕业于清华大学。", False),
        ("KuQueue 的何静澜毕业于浙江理工大学。", True),
    ],
)
def test_chinese_names_stand_in_what_is_cited(sentence: str, holds: bool) -> None:
    assert supported(sentence, [QUEUE], "?") is holds


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("The HX-200 supports cascade operation.", False),
        ("The HX-200 supports cascade operation of up to six units.", False),
        ("The HX-300 supports cascade operation of up to six units.", True),
        ("The upgrade is reversible.", False),
        ("The upgrade is not reversible.", True),
        ("升级过程可以回滚。", False),
        ("升级过程可回滚，因为元数据格式发生了变化。", False),
        ("升级过程不能回滚。", True),
        ("如果不先停止合并任务，迁移会失败。", True),
    ],
)
def test_no_clause_says_the_contrary_of_the_nearest_one(sentence: str, holds: bool) -> None:
    assert supported(sentence, [PUMP, OTHER_PUMP] if sentence.isascii() else [QUEUE], "?") is holds


@pytest.mark.parametrize(
    ("sentence", "source", "contrary"),
    [
        ("QH-60 支持联网。", "The QH-60 does not support networking.", True),
        ("QH-60 不支持联网。", "The QH-60 does not support networking.", False),
        ("QH-60 不支持联网。", "The QH-60 supports networking.", True),
        ("The endpoint supports PNG labels.", "该端点不支持 PNG 标签。", True),
        ("The endpoint does not support PNG labels.", "该端点不支持 PNG 标签。", False),
        ("年假可以折算成现金。", "Annual leave cannot be paid out in cash.", True),
        ("年假不能折算成现金。", "Annual leave cannot be paid out in cash.", False),
        # What another product does is no denial.
        ("QH-120 支持联网。", "The QH-60 does not support networking, the QH-120 does it by cable.", False),
        # Words that deny in their own way leave it open.
        ("日志未启用。", "Logging is disabled.", False),
        ("停车免费。", "There is no charge for parking.", False),
        ("非洲有 54 个国家。", "Africa has 54 countries.", False),
    ],
)
def test_a_sentence_in_the_other_script_may_not_say_the_contrary(sentence: str, source: str, contrary: bool) -> None:
    assert contrary_across(sentence, source) == contrary


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("儿童陶艺课每周六10:00开课。", "儿童陶艺课每周六11:00开课。"),
        ("例会在周三9:30。", "例会在周三8:30。"),
        ("星期五8点关门。", "星期五9点关门。"),
    ],
)
def test_a_weekday_beside_a_time_is_no_number_with_it(text: str, wrong: str) -> None:
    assert supported(text, [text], "几点？")
    assert not supported(wrong, [text], "几点？")


WORKS = "The works cost 3.1 million guilders."
DEVICE = "The device weighs 38 kg and takes 6 bar. Repair takes two to four working days. The shop closes at 15:00."
REVENUE = "2023年公司营业收入为12.6亿元，净利润为1.8亿元。"


@pytest.mark.parametrize(
    ("sentence", "source", "holds"),
    [
        ("2023年公司营业收入为12.6亿元。", REVENUE, True),
        ("2023年公司营业收入为12.6万元。", REVENUE, False),
        ("2023年公司营业收入为12.6元。", REVENUE, False),
        ("2023年公司营业收入为126000万元。", REVENUE, True),
        ("2023年公司营业收入（亿元）：12.6。", REVENUE, True),
        ("In 2023 the revenue was 12.6 billion yuan.", REVENUE, False),
        ("In 2023 the revenue was 1.26 billion yuan.", REVENUE, True),
        ("市场规模为1.2万亿元。", "The market is worth 1.2 trillion yuan.", True),
        ("The works cost 3.1 million guilders.", WORKS, True),
        ("The works cost 3,100,000 guilders.", WORKS, True),
        ("The works cost 3.1m guilders.", WORKS, True),
        ("The works cost 3.1 billion guilders.", WORKS, False),
        ("The works cost 3.1 guilders.", WORKS, False),
        ("It runs from 3 to 4 million.", "It runs from 3 million to 4 million.", True),
        ("The device weighs 38,000 g.", DEVICE, True),
        ("The device weighs 38 lb.", DEVICE, False),
        ("The fee is 80 pounds.", "The fee is 80 GBP.", True),
        ("The room costs £120 a night.", "The room costs 120 pounds a night.", True),
        ("The fee is 80 pounds.", "The fee is 90 GBP.", False),
        ("The device weighs 38 stone.", DEVICE, False),
        ("The device takes 6 psi.", DEVICE, False),
        ("The device takes 6000 mbar.", DEVICE, True),
        ("Repair takes two to four weeks.", DEVICE, False),
        ("Repair takes two to four working days.", DEVICE, True),
        ("The shop closes at 3 pm.", DEVICE, True),
        ("The shop closes at 3 a.m.", DEVICE, False),
        ("The shop closes at 15:00.", "The shop closes at 3 p.m.", True),
        ("The shop closes at 3:30 pm.", "The shop closes at 15:30.", True),
        ("公司有3200名员工。", "公司现有员工三千二百人。", True),
        ("公司有3300名员工。", "公司现有员工三千二百人。", False),
    ],
)
def test_a_number_is_its_value_with_scale_and_unit(sentence: str, source: str, holds: bool) -> None:
    assert supported(sentence, [source], "How much? 公司有多少员工？") is holds


@pytest.mark.parametrize(
    ("sentence", "source", "holds"),
    [
        ("滤网可以水洗。", "滤网每六个月更换一次，不可水洗。", False),
        ("滤网不可以水洗。", "滤网每六个月更换一次，不可水洗。", True),
        ("滤网可水洗。", "滤网不能水洗。", False),
        (
            "The filter may be washed in hot water without risk.",
            "The filter must not be washed in hot water because the membrane shrinks.",
            False,
        ),
        ("The pump does not run without water.", "Without water the pump does not run.", True),
        ("The filter is washed in hot water without soap.", "The filter is washed in hot water, without soap.", True),
    ],
)
def test_may_and_without_pay_for_no_denial(sentence: str, source: str, holds: bool) -> None:
    assert supported(sentence, [source], "What of it?") is holds
