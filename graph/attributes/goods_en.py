"""English words for attributes of money and goods."""

from __future__ import annotations

from graph.attributes.english import MONEY, SIZE, asks
from graph.attributes.words import Words

ATTRIBUTES = (
    Words(
        "a price",
        asks(
            "prices?|cost|fees?|tariff|toll|fare|subscription fee|entry fee|admission fee|pricing|rent|charges?",
            r"\bhow (?:expensive|cheap|pricey|costly)\b",
            r"\badmission (?:to|for)\b",
            r"\bhow much (?:is|are|was|were) (?=(?:the|an?|it|they|this|that|these|those|your|one|each|two|\d"
            "|(?-i:[A-Z])))(?!the (?:deposit|discount|bonus|penalty|fine|tax|budget|salary|interest|pension"
            r"|warranty)\b)",
            r"\b(?:what|how much)\b[^?]{0,90}\b(?:cost|costs|charge|charged|set (?:you|me|us|one) back)\b",
            r"\bhow much (?:do|does|did|must|should|will) (?:I|we|you|one|it|users?|customers?|visitors?"
            r"|they) (?:have to )?pay\b",
        ),
        r"pric|\bcosts?\b|costing|\bfees?\b|charg|(?<!response |sampling |interest )(?<!flow "
        r"|data )(?<!error |frame )(?<!growth )(?<!refresh )(?<!tax )\brates?\b(?! limit)|\bpays? (?:what|for"
        rf"|extra|nothing)|\bfree\b|{MONEY}|expensive|cheap|budget|tariff|\bfares?\b|\btolls?\b|per month"
        r"|\bvalue[ds]?\b|\brent|\b(?:sells?|sold|sale) (?:for|at)\b|amount|\bbill(?:ed|ing|ion)?\b|discount"
        r"|licen[cs]e fee|million|bought for|purchas|afford|inexpensive|quote|money|\b(?:goes|go|yours|sells?"
        r"|comes?|offered|had) (?:for|at) (?:only |just |a mere |about |around |under )?\d|on the house"
        r"|\bfor (?:only|just|a mere)\b|nothing\b|admission (?:is|:)|tickets? (?:is|are|:)|entr(?:y"
        "|ance) (?:is|:)",
    ),
    Words(
        "a salary",
        asks(
            "salar(?:y|ies)(?! paid)|wages?(?! paid)|income|remuneration|hourly rate",
            r"\bhow much\b[^?]{0,90}\b(?:earn|earns|get paid|be paid)\b",
            r"\bwhat is (?:the|his|her|their) (?:\w+ )?pay\b",
        ),
        r"salar|\bwages?\b|earn|income|compensat|remunerat|stipend|\bpay\b|payroll|\bpaid\b|\bpays\b"
        rf"|per (?:hour|month|year|annum)|annual(?:ly)?\b[^.]{{0,30}}{MONEY}|fee|{MONEY}|takes? home|per month"
        r"|a month\b|an hour\b|a year\b",
    ),
    Words(
        "a pay day",
        asks(
            "pay ?days?",
            r"\bwhen\b[^?]{0,90}\b(?:wages|salar(?:y|ies)|paychecks?)\b[^?]{0,90}\b(?:paid|transferred|due"
            "|arrive)?",
            r"\bwhen\b[^?]{0,90}\bget paid\b",
        ),
        r"pay ?day|pay ?roll|(?:salar|wage|\bpay\b)[^.]{0,60}(?:month|\bday\b|date|week|\d|fortnight)"
        r"|(?:month|\bday\b|week)[^.]{0,60}(?:salar|wage|\bpay\b)|account|transferred|credited|(?:money"
        r"|pay)[^.]{0,40}\b(?:on|by) the \d",
    ),
    Words(
        "a budget",
        asks("budgets?", r"\bhow much money\b[^?]{0,90}\b(?:available|set aside|spend|allocated)\b"),
        rf"budget|\bcosts?\b|\bfund|financ|\bmoney\b|\bspen[dt]|expens|{MONEY}|million|billion|allocat|grant"
        "|invest|estimate",
    ),
    Words(
        "a bonus",
        asks("bonus(?:es)?|thirteenth salary|13th salary", r"\bbonus"),
        "bonus|thirteenth|13th|gratuit|incentive|premium|christmas|profit.shar|reward|extra pay|commission"
        r"|gift|stock option|extra month|additional month|extra (?:salary|money)|on top\b",
    ),
    Words(
        "a discount",
        asks("discounts?|rebates?|reduction"),
        r"discount|\d ?(?:%|per ?cent) (?:off|less)|reduc(?:ed|tion)|rebate|cheaper|half price|concession"
        r"|special offer|voucher|coupon|\bfree\b|lower price|saving|deduct|\bhalf\b|pay less|less for"
        r"|\b\d+ ?(?:%|per ?cent) (?:on|for|if|when)",
    ),
    Words(
        "a deposit",
        asks("deposits?|down payment"),
        r"deposit|in advance|advance payment|security|prepa(?:y|id)|up ?front|down payment|bond\b|retainer"
        "|months?'? rent|months? of rent|left with|caution|guarantee|first instal",
    ),
    Words(
        "a penalty",
        asks("penalt(?:y|ies)|late fee|fine|surcharge"),
        r"penalt|\bfine[ds]?\b|late fee|surcharge|\binterest\b|sanction|liquidated|forfeit|punish|compensat"
        r"|damages|reminder fee|prison|suspend|depriv|convict|\bpays? (?:\d|[$€£])|per day late"
        r"|late\b[^.]{0,30}\d|delay|overdue",
    ),
    Words(
        "an interest rate",
        asks("interest(?: rates?)?|apr"),
        r"interest|\bapr\b|per ?cent|%|base rate|\brate\b|basis points|yield",
    ),
    Words(
        "a revenue",
        asks(
            "revenues?|turnover|profits?|sales figures?",
            r"\bhow much (?:profit|money|revenue)\b[^?]{0,90}\b(?:make|made|earn)",
        ),
        rf"revenue|turnover|\bsales\b|income|earn|profit|gross|\bmade\b[^.]{{0,20}}{MONEY}|million|billion"
        r"|proceeds|\bloss|takings|took in|taken in|brought in|worth of",
    ),
    Words(
        "a warranty",
        asks("warrant(?:y|ies)|guarantees?", r"\bunder (?:warranty|guarantee)\b"),
        r"warrant|guarant|\bcover(?:s|ed|age)? (?:for|against|by)|years? of cover|parts and labou?r"
        r"|repair(?:s|ed)? free|free repair|replaced? (?:free|at no)|defects?\b[^.]{0,40}(?:year|month)"
        r"|(?:mend|repair|fix|replac)\w*[^.]{0,60}(?:\bfree|no charge|no cost|without charge|nothing)|(?:free"
        r"|no charge|no cost)[^.]{0,40}(?:mend|repair|fix|replac)|\b(?:lifetime|year)s? promise",
    ),
    Words(
        "a colour",
        asks("colou?rs?", r"\bwhat colou?r\b"),
        r"colou?r|\bred\b|reddish|green|\bblue|bluish|yellow|\borange|white|black|\bgr[ea]y|brown|purple"
        r"|violet|\bpink|beige|silver|\bgold|crimson|scarlet|turquoise|ivory|cream|maroon|navy|\bshade|paint"
        r"|\bhue|\btint|\bdye|pigment|anodi[sz]|\bdark\b|\blight(?:er)?\b|transparent|shiny|pale|bronze"
        r"|copper|amber|olive|teal|indigo|magenta|cyan|\bRAL\b|blond",
    ),
    Words(
        "a material",
        asks(
            "materials?",
            r"\bwhat\b[^?]{0,90}\b(?:made|built|consist|constructed|composed) (?:out )?of\b",
            r"\bmade (?:out )?of\b",
        ),
        r"material|\bmade (?:of|from|out|with|up)\b|\bbuilt (?:of|from|in|with)\b|consist|compos|construct"
        r"|steel|iron|\bmetal|alumin|\bwood|timber|\boak|pine|plastic|polymer|nylon|polyester|glass|leather"
        "|cotton|wool|silk|linen|stone|brick|concrete|marble|granite|ceramic|clay|porcelain|rubber|carbon"
        r"|\btin\b|copper|brass|bronze|\bgold|silver|titanium|paper|bamboo|fib(?:re|er)|fabric|alloy|gas|dust"
        r"|cells?\b|protein|particles|weld|carved|\bcast\b|woven|knit|forged|hewn|sewn|cut from|moulded"
        r"|tubes?\b|laminat",
    ),
    Words(
        "ingredients",
        asks("ingredients?|composition"),
        r"ingredient|contain|made (?:of|from|with)|consist|compos|%|sugar|salt|flour|water|includes?\b|recipe"
        r"|grams?\b",
    ),
    Words(
        "a certificate",
        asks("certificates?|certifications?|approvals?|(?:ce|ul|tüv) mark", r"\bcertified\b"),
        r"certif|approv|\bCE\b|standard|\bISO\b|\bEN ?\d|\bUL\b|complian|comply|complies|conform|\bmark(?:ed"
        r"|ing)?\b|tested|TÜV|label|accredit|\bseals?\b|stamp|logo|\bsign\b",
    ),
    Words(
        "an app",
        asks("(?:mobile |phone |companion )?apps?"),
        r"\bapps?\b|application|smart ?phone|\bphones?\b|mobile|android|\bios\b|iphone|ipad|wireless|wi-?fi"
        "|bluetooth|remote|tablet|download|play store",
    ),
    Words(
        "a battery",
        asks("batter(?:y|ies)|battery life"),
        r"batter|accumulator|rechargeable|\bm?ah\b|lithium|li-ion|charg(?:e|ing)|power bank|\bcells?\b|mains"
        "|cordless",
    ),
    Words(
        "a cable",
        asks("(?:power )?(?:cords?|cables?)|mains lead"),
        r"\bcord|cable|\bleads?\b(?! time)(?= of|,|\.|\)| is|\s*\|)|\bwir(?:e|ed|ing)|\bplug|socket"
        r"|\bmains lead|\bflex\b|extension",
    ),
    Words(
        "an energy class",
        asks("energy (?:class|label|rating|efficiency class)|efficiency class"),
        r"energy|efficien|\bA\+|\bclass\b|label",
    ),
    Words(
        "a shelf life",
        asks(
            "shelf life|expiry date|best.before date|expiration date",
            r"\bwhen\b[^?]{0,90}\b(?:expire|go bad|spoil)",
        ),
        r"shelf|expir|best.before|\bkeeps?\b|\bstor(?:e|ed|age)\b|\blasts?\b|use by|valid|durab|until|within"
        r"|runs? (?:for|until|out)|term\b|ends?\b|\bgood for\b|\bopened|\bfresh|\buse within",
    ),
    Words(
        "side effects",
        asks("side.?effects?|adverse (?:effects?|reactions?)"),
        r"side.?effect|adverse|reaction|nausea|headache|\brisks?\b|dizz|rash|allerg|drows|harm",
    ),
    Words(
        "a right of return",
        asks("returns? policy|refunds?|refund policy|right of return", r"\breturned\b[^?]{0,90}\brefund"),
        r"\breturn|refund|exchang|money.back|withdraw|reimburs|cancel|give back|send back"
        r"|\bsen[dt] (?:it )?back|br[io][nu]g?h?t? (?:it )?back|tak(?:e|en) (?:it )?back|money",
    ),
    Words(
        "a delivery",
        asks(
            "delivery (?:time|date|costs?)|shipping(?: costs?)?|lead time|postage",
            r"\bhow long does (?:delivery|shipping) take\b",
        ),
        r"deliver|\bship|dispatch|arriv|courier|postage|freight|sent (?:by|within|out)|transport|parcel"
        r"|carriage|post\b|mail|\breach(?:es)? (?:you|us|the)|working days|(?:within|in) [\w ]{1,14}days"
        "|on (?:its|the) way|leaves? (?:our|the) (?:warehouse|store)",
    ),
    Words(
        "dimensions",
        asks("dimensions?|measurements", r"\bwhat size\b"),
        r"dimension|measur|\bsize|\d ?[x×*] ?\d|footprint|width|height|length|\bwide|\btall|\blong\b|\bhigh"
        f"|large|area|{SIZE}",
    ),
    Words(
        "a width",
        asks("width|diameter", r"\bhow wide\b"),
        rf"\bwide|width|breadth|\d[^.]{{0,20}}\bacross|diameter|\bbroad|narrow|gauge|\bspan|{SIZE}",
    ),
    Words(
        "a height",
        asks(
            "",
            r"\bhow (?:tall|high) (?:is|are|was|were)\b(?![^?]{0,90}\b(?:fees?|prices?|cost|rate|speed"
            "|temperature|pressure|budget|rent|salary|fine|deposit|risk|voltage|revenue|share|percentage"
            r"|level|limit|number)\b)",
            r"\bwhat (?:is|was) (?:the|its|his|her) height\b",
        ),
        r"\bhigh|height|\btall|elevat|altitude|stor(?:e?y|eys|ies)\b|\bfloors?\b|above|\bris(?:es|ing)\b"
        f"|summit|peak|{SIZE}",
    ),
    Words(
        "a depth",
        asks("depth", r"\bhow deep\b"),
        rf"\bdeep|depth|below|\bbottom|{SIZE}",
    ),
    Words(
        "a thickness",
        asks("thickness", r"\bhow thick\b"),
        rf"\bthick|gauge|{SIZE}",
    ),
    Words(
        "a weight",
        asks("(?:net |gross )?weight", r"\bhow heavy\b", r"\bhow much (?:do|does|did) [^?]{0,90}\bweigh"),
        r"weigh|\bmass\b|\bheav|\blight(?:er|est|weight)\b|\d ?(?:kg|g|mg|t|lbs?|pounds?|oz|ounces?|tons?"
        r"|tonnes?|kilos?|kilograms?|grams?)\b|tonnage",
    ),
    Words(
        "a speed",
        asks("(?:top |maximum |max )speed", r"\bhow fast (?:is|does|can|do)\b"),
        r"speed|\bfast|veloc|km/h|\bmph|m/s|rpm|knots?\b|per (?:second|minute|hour)|\bquick|\d ?m?s\b"
        r"|seconds?|throughput|latency|[MGk]bit|[MGk]bps|/s\b|\brapid",
    ),
    Words(
        "a noise level",
        asks("noise(?: level)?|sound level", r"\bhow (?:loud|noisy|quiet)\b"),
        r"nois|\bloud|\bdB|decibel|\bsound|quiet|silent|acoustic",
    ),
    Words(
        "a voltage",
        asks("voltage|mains voltage"),
        r"volt|\d ?k?v\b|mains",
    ),
    Words(
        "a power",
        asks("power (?:consumption|rating|draw|output)|wattage|rated power", r"\bhow powerful\b"),
        r"power|watt|\d ?[km]?w\b|\d ?hp\b|horsepower|energy|electric",
    ),
    Words(
        "a screen",
        asks("screen(?: size)?|display(?: size)?|resolution"),
        r"screen|display|resolution|pixel|inch|\blcd\b|oled|\d{3,4} ?[x×] ?\d{3,4}|monitor|panel",
    ),
    Words(
        "a processor",
        asks("processor|cpu|chip(?:set)?"),
        r"processor|\bcpu|\bchip|core|intel|\bamd\b|\barm\b|ghz|snapdragon|microcontroller",
    ),
    Words(
        "a serial number",
        asks("(?:serial|part|article|item|order|model|registration|isbn|tax|account) numbers?|isbn|iban"),
        r"number|\bno\.|\bserial|\bisbn|\biban|\bid\b|\bcode\b|\b(?=[A-Z-]*\d)[A-Z\d]+-[A-Z\d-]+\b|#\d",
    ),
    Words(
        "water resistance",
        asks("", r"\b(?:waterproof|water.?resistan\w*|ip rating|protection class)\b"),
        r"water|\bIP ?X?\d|splash|rain|\bwet\b|swim|dive|moist|seal|humid|damp|protection",
    ),
    Words(
        "accessories",
        asks(
            "accessor(?:y|ies)|scope of delivery",
            r"\b(?:included in|comes? in|inside) the (?:box|package)\b",
        ),
        r"includ|suppl|accessor|comes? with|\bbox|\bscope|contain|pack|enclos|optional|attach|carton|package"
        "|you(?:'ll| will)? find|along with|together with|bundle|ships with",
    ),
    Words(
        "a storage size",
        asks("storage(?: capacity| space)?|disk space|hard (?:disk|drive)|internal storage"),
        r"storage|\bdisk|\d ?[KGMT]i?B\b|\bdrive|\bspace|\bssd|store",
    ),
    Words(
        "a radio link",
        asks("bluetooth|wi-?fi|wlan|wireless (?:connection|interface)"),
        r"bluetooth|wireless|wi-?fi|connect|\bradio|\bble\b|\blan\b|network|remote|\bapp\b",
    ),
)
