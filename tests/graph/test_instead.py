"""What the evidence speaks of instead of what is asked."""

from __future__ import annotations

import asyncio

import pytest

from graph.engine import Engine
from graph.instead import Instead, instead
from graph.named import UNNAMED
from retrieval.types import Hit
from tests.fakes.graph import ScriptedGrader, deps, hit

NOTES = hit(
    "Version 4.0 dropped the old client. Version 4.1 fixed the time zone bug.", source="notes.md", title="Release notes"
)
MANUAL = hit(
    "E07 means that the sensor is silent. E12 means that the compressor is too hot.", source="200.md", title="HX-200"
)
OTHER = hit("E07 means that the fan is blocked.", source="300.md", title="HX-300")
HISTORY = hit(
    "In 2022 Korvath employed 640 people. Jorunn Eide was managing director from 2005 to 2017.", source="history.md"
)
CLIENTS = hit("The Python client waits 8 seconds, the Go client 15 seconds.", source="clients.md")
APOLLO = hit("Armstrong landed with Apollo 11.", source="apollo.md")
CLIMB = hit("1890年她成为第一位登上雪山的女性。", source="climb.md")
DUTY = hit(
    "一级故障须在5分钟内响应，二级故障须在30分钟内响应。2024年3月12日的故障持续了47分钟。2024年8月的故障是小事。",
    source="duty.md",
)
PRICES = hit("标准版月费2400元，企业版月费9800元。成都研发中心有85人。", source="prices.md", title="枢云")


GUIDE = hit(
    "The fire warden for the second floor is Jonas Feld. The north gate opens at six. Lunch costs 6 EUR. The menu on "
    "Friday is fish. The library is open from Monday to Friday. The morning shift gets 4 EUR. In winter the road is "
    "gritted by Frostmann. The pool is open daily.",
    source="guide.md",
)
FIGURES = hit(
    "The Q2 marketing budget was cut to 62,000 EUR. The fair is in Q3. There were eleven complaints in February, "
    "nineteen in January. The audit is planned for March. Costs rose from Q1 to Q4. Revenue in the first half was 4 "
    "million EUR. Fire drills take place in May and October. Between April and September 90 pumps a month were made.",
    source="figures.md",
)
CABLES = hit(
    "| Article | Price |\n|---|---|\n| Pt1000 sensor, 2 m cable | 18.90 |\n| 4010-95 排线 20 芯 | 3.20 |\n\n"
    "Hoses are sold from 2 m to 20 m at 1.80 EUR. 16GB内存的工作站售价5800元，32GB内存的工作站售价7600元。",
    source="cables.md",
)
MODELS = hit(
    "The HX-40 replaces the HX-30. The HX-30 was announced in 2019.\n\n## Climate\n\nThe HX-40 is stored at -30 °C.",
    source="hx.md",
    title="HX-40",
)
HANDBOOK = hit(
    "午餐补贴每天25元。夜班补贴每班60元。例会在星期一召开。健身房周一至周五开放。二楼的消防负责人是周建。东门六点开门。"
    "一号楼的电梯由迅达维护。冬季供暖温度为20度。第二季度营销预算为62万元。上半年收入为4200万元。二月份的退货量为11件。",
    source="handbook.md",
)


@pytest.mark.parametrize(
    ("question", "hits", "asked", "found"),
    [
        ("What did version 4.2 fix?", [NOTES], "4.2", ("Version 4.0", "Version 4.1")),
        ("What does E12 mean on the HX-300?", [MANUAL, OTHER], "E12 + HX-300", ("E12 + HX-200",)),
        ("How many people did Korvath employ in 2015?", [HISTORY], "2015", ("2022",)),
        ("Who was managing director in 1999?", [HISTORY], "1999", ("2005", "2017")),
        ("Who landed with Apollo 13?", [APOLLO, HISTORY], "Apollo 13", ("Apollo 11",)),
        ("第四位登上雪山的女性是谁？", [CLIMB], "第四位", ("第一位",)),
        ("How long does the Rust client wait?", [CLIENTS], "Rust client", ("Python client", "Go client")),
        ("三级故障要多久响应？", [DUTY], "三级", ("一级", "二级")),
        ("三級故障要多久響應？", [DUTY], "三级", ("一级", "二级")),
        ("2024年5月12日的故障持续了多久？", [DUTY], "2024年5月12日", ("2024年3月12日",)),
        ("旗舰版月费多少？", [PRICES], "旗舰版", ("标准版", "企业版")),
        ("上海研发中心有多少人？", [PRICES], "上海研发", ("成都研发",)),
        ("Who is the fire warden for the third floor?", [GUIDE], "third floor", ("second floor",)),
        ("Who is the fire warden on the 3rd level?", [GUIDE], "3rd level", ("second floor",)),
        ("When does the south gate open?", [GUIDE], "south gate", ("north gate",)),
        ("How much does dinner cost?", [GUIDE], "dinner", ("Lunch",)),
        ("What is on the menu on Monday?", [GUIDE], "Monday", ("Friday",)),
        ("What does the night shift get?", [GUIDE], "night shift", ("morning shift",)),
        ("By whom is the road gritted in summer?", [GUIDE], "summer", ("winter",)),
        ("What does the Q3 marketing budget amount to?", [FIGURES], "Q3", ("Q2",)),
        ("What is the marketing budget of the third quarter?", [FIGURES], "third quarter", ("Q2",)),
        ("How many complaints were there in March?", [FIGURES], "March", ("February", "January")),
        ("How much was the revenue in H2?", [FIGURES], "H2", ("first half",)),
        ("Who holds the fire drills in July?", [FIGURES], "July", ("May", "October")),
        ("What is the price of the Pt1000 sensor with 5 m cable?", [CABLES], "5 m", ("2 m",)),
        ("排线 50 芯的单价是多少？", [CABLES], "50 芯", ("20 芯",)),
        ("64GB内存的工作站多少钱？", [CABLES], "64GB", ("16GB", "32GB")),
        ("At what temperature is the HX-30 stored?", [MODELS], "HX-30", ("HX-40",)),
        ("晚餐补贴是多少？", [HANDBOOK], "晚餐", ("午餐",)),
        ("早班补贴是多少？", [HANDBOOK], "早班", ("夜班",)),
        ("周四的例会几点召开？", [hit("例会在星期一召开。")], "周四", ("星期一",)),
        ("三楼的消防负责人是谁？", [HANDBOOK], "三楼", ("二楼",)),
        ("西门几点开门？", [HANDBOOK], "西门", ("东门",)),
        ("二号楼的电梯由谁维护？", [HANDBOOK, hit("二号机由张工维护。")], "二号楼", ("一号楼",)),
        ("夏季供暖温度是多少？", [HANDBOOK], "夏", ("冬",)),
        ("Q3营销预算是多少？", [HANDBOOK], "Q3", ("第二季度",)),
        ("下半年收入是多少？", [HANDBOOK], "下半年", ("上半年",)),
        ("十二月的退货量是多少？", [HANDBOOK], "十二月", ("二月",)),
    ],
)
def test_another_of_the_kind_stands_in_its_place(
    question: str, hits: list[object], asked: str, found: tuple[str, ...]
) -> None:
    assert instead(question, hits) == (Instead(asked, found),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "hits"),
    [
        ("What did version 4.1 fix?", [NOTES]),
        ("What did version 4.x drop?", [NOTES]),
        ("What did KuStore 4.2 fix?", [NOTES]),  # Nobody says that these are KuStore's versions.
        ("What does E12 mean on the HX-200?", [MANUAL, OTHER]),
        ("What does E07 mean on the HX-300?", [MANUAL, OTHER]),
        ("Do the HX-200 and the HX-300 know E12?", [MANUAL, OTHER]),
        ("How many people did Korvath employ in 2022?", [HISTORY]),
        ("Who was managing director in 2010?", [HISTORY]),  # From 2005 to 2017.
        ("How many people did Korvath employ in the 2010s?", [HISTORY]),
        ("Who left in 2010 or 2022?", [HISTORY]),  # One of the years is there.
        ("Who landed with Apollo 11?", [APOLLO]),
        ("Who landed with Apollo 13 on 20 May?", [hit("May 20 was sunny. Apollo 13 did not land.")]),
        ("第一位登上雪山的女性是谁？", [CLIMB]),
        ("How long does the Go client wait?", [CLIENTS]),
        ("How long does the Rust driver wait?", [CLIENTS]),
        ("一级故障要多久响应？", [DUTY]),
        ("2024年8月2日的故障是什么？", [DUTY]),  # What happened in August may have been on the second.
        ("企业版月费多少？", [PRICES]),
        ("成都研发中心有多少人？", [PRICES]),
        ("上海办事处有多少人？", [PRICES]),
        ("What is it?", []),
        ("Who is the fire warden for the 2nd floor?", [GUIDE]),
        ("Who is the fire warden on level 2?", [GUIDE]),
        ("When does the northern gate open?", [GUIDE]),
        ("On which day is fish on the menu?", [GUIDE]),
        ("Who works in the library on Wednesday?", [GUIDE]),  # From Monday to Friday.
        ("When is the pool open on Sunday?", [GUIDE]),  # Daily.
        ("Is fish on the menu on Monday?", [GUIDE]),  # No: on Friday.
        ("I come on Monday, what is on the menu?", [GUIDE]),  # The writer's, not the menu's.
        ("What does the early shift get?", [GUIDE]),
        ("What is the marketing budget of the second quarter?", [FIGURES]),
        ("How did costs rise in Q3?", [FIGURES]),
        ("By how much did complaints fall from January to February?", [FIGURES]),
        ("How many complaints were there in Feb.?", [FIGURES]),
        ("How many pumps were made in July?", [FIGURES]),  # Between April and September.
        ("How many complaints came after March?", [FIGURES]),
        ("How many visitors came in March?", [FIGURES]),  # No month has any.
        ("What is the price of the Pt1000 sensor with 2m cable?", [CABLES]),
        ("I need 5 m of cable, what is the price of the Pt1000 sensor?", [CABLES]),
        ("What is the price of a hose of 12 m?", [CABLES]),
        ("20芯的排线多少钱？", [CABLES]),
        ("32G内存的工作站多少钱？", [CABLES]),
        ("At what temperature is the HX-40 stored?", [MODELS]),
        ("When was the HX-30 announced?", [MODELS]),
        ("午饭补贴是多少？", [HANDBOOK]),
        ("例会周几召开？", [HANDBOOK]),
        ("健身房周三几点开放？", [HANDBOOK]),
        ("二层的消防负责人是谁？", [HANDBOOK]),
        ("一季度营销预算和二季度比怎么样？", [HANDBOOK]),
        ("2月的退货量是多少？", [HANDBOOK]),
        ("我周四来，例会什么时候召开？", [HANDBOOK]),
        ("How many were returned in March?", [hit("In February 11 were returned. In March it was 7.")]),
        ("How many complaints came in March?", [hit("Complaints came in February. From March on there were more.")]),
        ("Which was their first album?", [hit("It was the debut. The second album followed.")]),
        (
            "What lies on the east side of the hill?",
            [hit("A lake lies on the west side of the hill, a wood to the east.")],
        ),
        (
            "How long does the TG-120 take to start?",
            [hit("It boots in 9 s.", title="TG-120"), hit("The TG-240 takes 8 s to start.")],
        ),
        ("第二季度绿化费用是多少？", [hit("第一季度免收，二季度绿化费用为3万元，第三季度未定。")]),
        ("Which batteries of 5 Ah have an indicator?", [hit("Batteries of 4 Ah and more have an indicator.")]),
        ("一GB流量多少钱？", [hit("5GB流量50元。")]),
        ("How many were returned?", [hit("11 were returned.", title="12 March 2026")]),
    ],
)
def test_what_is_there_or_has_no_other_of_its_kind_is_not_told(question: str, hits: list[object]) -> None:
    assert instead(question, hits) == ()  # type: ignore[arg-type]


def test_evidence_of_another_is_refused_and_the_refusal_says_of_what_it_is() -> None:
    """However sure the signals are."""
    engine = Engine(deps([NOTES], calibration=ScriptedGrader([0.9])))
    known = asyncio.run(engine.ask("What did version 4.1 fix?"))
    assert (known.status, known.confidence) == ("grounded", 0.9)
    unknown = asyncio.run(engine.ask("What did version 4.2 fix?"))
    assert (unknown.status, unknown.confidence) == ("abstained", UNNAMED)
    assert "What was found is about Version 4.0, Version 4.1, not about 4.2." in unknown.text
    graded = next(event.detail for event in unknown.trace if event.node == "grade")
    assert graded["speaks_of"] == {"4.2": ["Version 4.0", "Version 4.1"]}
    chinese = asyncio.run(Engine(deps([DUTY], calibration=ScriptedGrader([0.9]))).ask("三级故障要多久响应？"))
    assert "找到的内容说的是一级、二级，不是三级。" in chinese.text


@pytest.mark.parametrize("run", ["a", "一", "1", "2015 ", "Apollo 1 ", "1-", "5 m ", "March "])
def test_long_runs_end_in_nothing(run: str) -> None:
    """Letters once took their length squared, and no number has thousands of numerals."""
    assert instead(run * (20_000 // len(run)), [hit(run * 100)]) == ()


def test_a_code_inside_a_range_of_codes_is_told_of() -> None:
    grades = hit(
        "P1–P4一线城市住宿标准350元。P5–P7一线城市住宿标准500元。P9实报实销。", source="travel.md", title="差旅"
    )
    assert not instead("P6去一线城市住宿标准多少？", [grades])
    assert not instead("P3去一线城市住宿标准多少？", [grades])
    assert instead("P8去一线城市住宿标准多少？", [grades])


def test_a_number_counts_the_whole_word_behind_it() -> None:
    passage = hit("江州市第三人民医院患者须知。患者预交金为2000元，送到第三诊室。")
    told = instead("江州市第一人民医院的预交金是多少？", [passage])
    assert [(each.asked, each.found) for each in told] == [("第一人民医院", ("第三人民医院",))]


def test_no_preposition_begins_the_name_of_another_edition() -> None:
    passage = hit("请假两天由年级主任批准，三天以上由教务处批准。")
    assert instead("四年级请假由谁批准？", [passage]) == ()
    (told,) = instead("旗舰版的价格是多少？", [hit("专业版的价格是每月35元。")])
    assert told.found == ("专业版",)


def test_no_word_goes_on_behind_a_counter() -> None:
    (told,) = instead("条例第三十五条说了什么？", [hit("第三十条 数据应当分类。第三十一条 数据应当分级。")])
    assert told.asked == "第三十五条"
    assert "第三十条" in told.found


@pytest.mark.parametrize(
    ("question", "passage", "found"),
    [
        ("信息中心副主任是谁？", "会议由信息中心主任蔡志远主持。", ("主任",)),
        ("信息中心主任是谁？", "会议由信息中心副主任蔡志远主持。", ("副主任",)),
        ("Who is the deputy head of Sales?", "The head of Sales is Ada Byron.", ("head",)),
        ("Who is the director of Sales?", "The assistant director of Sales is Ada Byron.", ("assistant director",)),
        ("信息中心主任是谁？", "主任蔡志远，副主任李敏。", None),
        ("信息中心副主任是谁？", "主任蔡志远，副主任李敏。", None),
        ("Who is the vice president?", "The Vice-President is Ada Byron, the president Max Born.", None),
        ("Who is the director of Sales?", "Ada Byron leads Sales.", None),
        ("Who is the director of Sales?", "The Deputy Director of Sales is Ada Byron.", ("Deputy Director",)),
        ("Who is the Director of Sales?", "deputy director: Ada Byron; deputy director", ("deputy director",)),
        ("Who is the director of Sales?", "The Director is Max Born, the Deputy Director Ada Byron.", None),
        ("公司CEO是谁？", "会议由代理CEO王敏主持。", ("代理CEO",)),
        ("代理CEO是谁？", "公司CEO王敏主持了会议。", ("CEO",)),
        ("公司CEO是谁？", "公司CEO王敏主持了会议，代理CEO缺席。", None),
        ("Who is the curator of maps?", "The assistant curator of maps is Ada Byron.", ("assistant curator",)),
        ("Who is the assistant curator of maps?", "The assistant curator of maps is Ada Byron.", None),
        ("Who is the curator of maps?", "Assistant curator Max Born works for the curator, Ada Byron.", None),
        ("Who is the chief accountant?", "Former chief accountant Ada Byron retired.", ("Former chief accountant",)),
        ("Who is the former chief accountant?", "Former chief accountant Ada Byron retired.", None),
        ("When did the chief accountant retire?", "Former chief accountant Ada Byron retired in 2021.", None),
        ("Who was the chief accountant?", "Former chief accountant Ada Byron retired in 2021.", None),
        ("Who heads the museum?", "The acting head of conservation is Ada Byron.", ("acting head",)),
        ("Who heads the museum?", "The acting head is Ada Byron. The museum is led by Max Born.", None),
        ("公司财务总监是谁？", "前任财务总监陈秋已退休。", ("前任财务总监",)),
        ("公司前任财务总监是谁？", "前任财务总监陈秋已退休。", None),
        ("公司财务总监是谁？", "目前财务总监为陈秋。", None),
        ("谁是厂长？", "原厂长陈秋已退休。", ("原厂长",)),
    ],
)
def test_a_deputy_is_not_the_head(question: str, passage: str, found: tuple[str, ...] | None) -> None:
    told = instead(question, [hit(passage)])
    assert [each.found for each in told] == ([] if found is None else [found])


FACTS = hit(
    "In 1987 the roadway was widened. The engineer Vos supervised the repairs of 1949. The shop opened in 1998. Olaf "
    "Renn retired in 2021. The female lays 200 eggs. The free plan allows 3 projects; the team plan allows 25. "
    "The hall was open from 1950 to 1970. The dome was closed in 1944 and reopened in 1949.",
    source="facts.md",
)
POOL = hit("In 2021 the pool had 80,400 visitors. 2022 saw 95,100. In 2023 the figure rose to 101,300.")
PARK = hit("公园2021年接待游客8.2万人次。2022年为9.6万人次。2023年增至10.4万人次。")
LUTHER = hit("1497年13歲那年，路德待了一年，教導他的是弟兄會的教士。對信徒的歧視使在1956年時教會開始和政府合作。")
FIRM = hit("代理人于2022年3月接任。2023年公司营业收入为12.6亿元。门店于2015年开业。C座6月3日停水。", source="firm.md")
METRO = hit("云岭地铁1号线于2015年开通，设24座车站。2号线于2019年开通，全长33公里。", source="metro.md")


@pytest.mark.parametrize(
    ("question", "passage", "asked", "found"),
    [
        ("Who supervised the repairs of 1987?", FACTS, "1987", ("1949",)),
        ("2022年公司营业收入是多少？", FIRM, "2022", ("2023",)),
        ("When did the shop close?", FACTS, "close", ("opened",)),
        ("When did Olaf Renn join?", FACTS, "join", ("retired",)),
        ("门店何时关闭？", FIRM, "关闭", ("开业",)),
        ("How many eggs does the male lay?", FACTS, "male", ("female",)),
        ("How many projects does the enterprise plan allow?", FACTS, "enterprise plan", ("free plan", "team plan")),
        ("云岭地铁2号线有多少座车站？", METRO, "2号线", ("1号线",)),
        ("A座什么时候停水？", FIRM, "A座", ("C座",)),
    ],
)
def test_another_year_event_or_member_of_the_same_words(
    question: str, passage: Hit, asked: str, found: tuple[str, ...]
) -> None:
    assert instead(question, [passage]) == (Instead(asked, found),)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Who supervised the repairs of 1949?", FACTS),
        ("What was widened in 1987?", FACTS),
        ("What happened to the roadway in 1987?", FACTS),
        ("2023年公司营业收入是多少？", FIRM),
        ("2022年接任的是谁？", FIRM),
        ("When did the shop open?", FACTS),
        ("When did the hall close?", FACTS),
        ("When was the dome closed?", FACTS),
        ("When did Olaf Renn retire?", FACTS),
        ("门店何时开业？", FIRM),
        ("How many eggs does the female lay?", FACTS),
        ("How many projects does the team plan allow?", FACTS),
        ("云岭地铁2号线何时开通？", METRO),
        ("云岭地铁1号线有多少座车站？", METRO),
        ("C座什么时候停水？", FIRM),
        ("How many visitors did the pool have in 2022?", POOL),
        ("How many visitors did the pool have in 2023?", POOL),
        ("公园2023年接待游客多少人次？", PARK),
        ("誰在1497年時教導了路德?", LUTHER),
        ("城南分厂什么时候停业？", hit("城南分厂1988年开业。2004年停业。")),
        ("When did the branch in Elm Street shut?", hit("The branch in Elm Street opened in 2005. It shut in 2019.")),
    ],
)
def test_what_is_told_in_its_own_sentence_stays(question: str, passage: Hit) -> None:
    assert instead(question, [passage]) == ()
