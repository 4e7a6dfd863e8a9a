"""Near misses about another member of a closed kind, a row or a release, and look-alikes that stay answered."""

from __future__ import annotations

import pytest

from graph.instead import instead
from tests.fakes.graph import hit

PLANS = hit(
    "## Plans\n\n| Plan | Users | Storage | Price per month |\n|---|---|---|---|\n| Solo | 1 | 5 GB | 4 EUR |\n"
    "| Team | 10 | 100 GB | 29 EUR |\n| Works | 100 | 2 TB | 190 EUR |\n\nThe trial runs for 14 days. Any plan can be"
    " cancelled monthly. Students get the Solo plan for nothing.",
    source="plans.md",
    title="Kelp Notes – Plans",
)
WARDENS = hit(
    "| Floor | Warden | Deputy |\n|---|---|---|\n| Ground floor | Emil Krogh | Ida Bech |\n| First floor | Rasmus Vang"
    " | Line Dahl |\n| Third floor | Tora Lie | Nils Moe |",
    source="wardens.md",
    title="Evacuation plan",
)
STOCK = hit(
    "| sku | item | stock |\n|---|---|---|\n| B-1 | Ball bearing 6204 | 840 |\n| B-2 | Ball bearing 6205 | 95 |\n\n"
    "Error 503 means that the carrier is silent. In room 214 gloves are worn. The depot serves 300 shops.",
    source="stock.md",
    title="Inventory",
)
RELEASES = [
    hit("## 2.3.0 (1 May 2025)\n\n- New: dark mode.\n- Fixed: sync with TLS 1.3.", title="Kelp Notes – Releases"),
    hit("## 2.2.1 (3 March 2025)\n\n- Fixed: the login loop.", title="Kelp Notes – Releases"),
    hit("4.3 The Provider answers within a day.", source="contract.md", title="Service contract"),
]  # fmt: skip
SALES = hit(
    "| Region | Q1 2024 | Q1 2025 |\n|---|---|---|\n| Germany | 7.9 | 8.1 |\n| Benelux | 2.8 | 2.5 |\n| Nordics | 1.9 |"
    " 2.2 |\n\nThe regional manager for the Nordics is Freja Lund; for Germany it is Anton Maier. Benelux lost 11%"
    " because the shop in Antwerp closed.",
    source="sales.md",
    title="Sales report",
)
TEAS = hit(
    "Is the tea organic? Our Assam and Darjeeling are conventionally grown.\n\nHow much caffeine does tea contain? A"
    " cup of our Sencha contains about 30 mg of caffeine, a cup of Assam about 55 mg.",
    source="teas.txt",
    title="Questions",
)
BACKUP = hit(
    "每日备份保留30天，存放在本地机房。每周例会在周一上午召开。季度考核由人事部组织。异地机房位于昆明。",
    source="backup.md",
    title="运维手册",
)
LEAVE = hit(
    "男员工陪产假为15天。婚假为10天。公司为员工缴纳五险一金，住房公积金缴存比例为12%。午餐补贴每天25元。病假须提前申请。"
    "年假须在当年休完。标准套餐每月60元。",
    source="leave.md",
    title="员工手册",
)
CARE = hit(
    "The weekly report is sent on Monday. The monthly fee is 12 EUR. Sick leave is paid for six weeks. Filters are"
    " cleaned every week. The contract fee is 144,000 EUR per year.",
    source="care.md",
    title="Office rules",
)
OUTAGE = hit(
    "Payment failed on 11 February 2025 between 09:12 and 10:47. The first drill is on 24 March.",
    source="outage.md",
    title="Incident report: payment outage on 11 February 2025",
)
DAYS = hit(
    "正式员工每年享有 15 天年假。病假每年不超过 10 天，需要提供证明。实习生每月有 1 天带薪假。",
    source="days.md",
    title="假期",
)
PASSES = hit(
    "| Pass | Valid | Price |\n|---|---|---|\n| Weekday | Monday to Friday | 48 EUR |\n| Resident | all days | 35 EUR |"
    "\n\nA lost pass costs 5 EUR. The canteen opens from June. Racks are due on 30 June.",
    source="passes.md",
)
FEES = hit("养犬登记费第一年为三百元，以后每年为一百元。", source="fees.md")
LIMITS = hit(
    "| Plan | Requests per minute |\n|---|---|\n| Starter | 60 |\n| Business | 1000 |\n\nRevised in 2025.",
    source="limits.md",
    title="Limits",
)
FILTERS = hit(
    "| 参数 | JY-600 | JY-800 |\n|---|---|---|\n| 额定总净水量 | 4000 L | 6000 L |\n| 重量 | 9.8 kg | 11.6 kg |",
    source="jy.md",
    title="净源 JY-600 家用净水器使用说明书",
)


REPORT = hit(
    "The best-selling product was the desk Fjord with 6,210 units, followed by the chair Lumi (5,480). The gross margin"
    " fell from 41.2% to 39.8%.\n\n| Region | Q1 2024 | Q1 2025 |\n|---|---|---|\n| Germany | 7.9 | 8.1 |",
    source="report.md",
    title="Sales report, first quarter 2025",
)


@pytest.mark.parametrize(
    ("question", "hits", "asked", "found"),
    [
        ("How many users does the Free plan allow?", [PLANS], "Free plan", "Solo"),
        ("Who is the warden of the second floor?", [WARDENS], "second floor", "First floor"),
        ("How many ball bearings 6206 are in stock?", [STOCK], "6206", "6204"),
        ("What does error 404 mean?", [STOCK], "404", "503"),
        ("What must be worn in room 215?", [STOCK], "room 215", "room 214"),
        ("What is new in Kelp Notes 2.4?", RELEASES, "Notes 2.4", "2.3.0"),
        ("What is new in Kelp Notes 4.3?", RELEASES, "Notes 4.3", "2.3.0"),
        ("Who is the regional manager for Benelux?", [SALES], "Benelux", "Germany"),
        ("How much caffeine does Darjeeling contain?", [TEAS], "Darjeeling", "Assam"),
        ("每周备份保留多少天？", [BACKUP], "每周备份", "每日备份"),
        ("每月例会什么时候召开？", [BACKUP], "每月例会", "每周例会"),
        ("年度考核由谁组织？", [BACKUP], "年度考核", "季度考核"),
        ("产假有多少天？", [LEAVE], "产假", "陪产假"),
        ("正式员工每年有多少天婚假？", [DAYS], "婚假", "年假"),
        ("养老保险的缴存比例是多少？", [LEAVE], "养老保险", "住房公积金"),
        ("交通补贴每天多少钱？", [LEAVE], "交通补贴", "午餐补贴"),
        ("高级套餐每月多少钱？", [LEAVE], "高级套餐", "标准套餐"),
        ("When is the daily report sent?", [CARE], "daily report", "weekly report"),
        ("For how long is maternity leave paid?", [CARE], "maternity leave", "Sick leave"),
        ("What was the outage on 11 March?", [OUTAGE], "11 March", "11 February 2025"),
        ("What is the price of the Weekend pass?", [PASSES], "Weekend pass", "Weekday"),
        ("What is due on 3 June?", [PASSES], "3 June", "30 June"),
        ("How many units of the chair Lumi were sold in 2024?", [REPORT], "2024", "2025"),
    ],
)
def test_another_member_is_told(question: str, hits: list[object], asked: str, found: str) -> None:
    told = instead(question, hits)  # type: ignore[arg-type]
    assert [each.asked for each in told] == [asked]
    assert found in told[0].found


@pytest.mark.parametrize(
    ("question", "hits"),
    [
        ("How many users does the Team plan allow?", [PLANS]),
        ("Who gets the Solo plan for nothing?", [PLANS]),
        ("How many users does the cheapest plan allow?", [PLANS]),
        ("Which plan has 2 TB of storage?", [PLANS]),
        ("How much is the plan for 10 users?", [PLANS]),
        ("How long is the trial of the Works plan?", [PLANS]),
        ("Can a plan be cancelled monthly?", [PLANS]),
        ("Who is the warden of the first floor?", [WARDENS]),
        ("Who is the deputy on the 3rd floor?", [WARDENS]),
        ("Who is the warden of floor 3?", [WARDENS]),
        ("Who is the warden of the ground floor?", [WARDENS]),
        ("Which floor is Tora Lie's?", [WARDENS]),
        ("How many ball bearings 6205 are in stock?", [STOCK]),
        ("How many ball bearings are in stock?", [STOCK]),
        ("What does error 503 mean?", [STOCK]),
        ("What is worn in room 214?", [STOCK]),
        ("Which depot serves 300 shops?", [STOCK]),
        ("What is new in Kelp Notes 2.3?", RELEASES),
        ("What was fixed in Kelp Notes 2.2.1?", RELEASES),
        ("Which version supports TLS 1.3?", RELEASES),
        ("Within what time does the Provider answer by 4.3?", RELEASES),
        ("Who is the regional manager for Germany?", [SALES]),
        ("Why did Benelux lose?", [SALES]),
        ("What was the revenue of Benelux in Q1 2025?", [SALES]),
        ("Is Benelux larger than the Nordics?", [SALES]),
        ("How much caffeine does Assam contain?", [TEAS]),
        ("How is the Darjeeling grown?", [TEAS]),
        ("How much caffeine does Sencha contain?", [TEAS]),
        ("每日备份保留多少天？", [BACKUP]),
        ("每天的备份保留多少天？", [BACKUP]),
        ("每周例会什么时候召开？", [BACKUP]),
        ("每季度考核由谁组织？", [BACKUP]),
        ("异地机房在哪里？", [BACKUP]),
        ("本地机房存放什么？", [BACKUP]),
        ("陪产假有多少天？", [LEAVE]),
        ("正式员工每年有多少天病假？", [DAYS]),
        ("婚假有多少天？", [LEAVE]),
        ("公积金缴存比例是多少？", [LEAVE]),
        ("午餐补贴每天多少钱？", [LEAVE]),
        ("员工补贴有哪些？", [LEAVE]),
        ("带薪年假什么时候休完？", [LEAVE]),
        ("标准套餐每月多少钱？", [LEAVE]),
        ("When is the weekly report sent?", [CARE]),
        ("What is the annual fee?", [CARE]),
        ("What is the yearly fee of the contract?", [CARE]),
        ("For how long is sick leave paid?", [CARE]),
        ("How often is the weekly cleaning of filters?", [CARE]),
        ("What failed on 11 February?", [OUTAGE]),
        ("What is the price of the Resident pass?", [PASSES]),
        ("What does a lost pass cost?", [PASSES]),
        ("What is due on 30 June?", [PASSES]),
        ("养犬登记费第二年多少钱？", [FEES]),
        ("When was there an attempt to withdraw the UMC plan?", [PLANS]),
        ("How long did the outage of 11.02.2025 last?", [OUTAGE]),
        ("When is the drill in March?", [OUTAGE]),
        ("Which plan allows 1000 requests per minute?", [LIMITS]),
        ("How many units of the chair Lumi were sold in 2025?", [REPORT]),
        ("What was the gross margin in 2024?", [REPORT]),
        ("What was the revenue of Germany in Q1 2024?", [REPORT]),
        ("Which plan allows 2000 requests per minute?", [LIMITS]),
        ("JY-800能净多少水？", [FILTERS]),
        ("JY-800 有多重？", [FILTERS]),
    ],
)
def test_look_alikes_are_not_told(question: str, hits: list[object]) -> None:
    assert instead(question, hits) == ()  # type: ignore[arg-type]
