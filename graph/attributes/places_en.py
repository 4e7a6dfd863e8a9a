"""English words for attributes of software, numbers of things, places and work."""

from __future__ import annotations

from graph.attributes.english import BY, OF_WHICH, VERB, asks, counted
from graph.attributes.words import Words

ATTRIBUTES = (
    Words(
        "a licence",
        asks("licen[cs]es?", r"\blicen[cs]ed?\b", r"\bopen.source\b"),
        r"licen[cs]|\bMIT\b|apache|\b[AL]?GPL|\bBSD\b|\bMPL\b|open[- ]source|copyright|copyleft|proprietary"
        r"|public domain|creative commons|\bEUPL\b|\bISC\b|permissive|free software|terms of use|\bCC[- ]"
        "|permit",
    ),
    Words(
        "a version",
        asks(
            "(?:latest|newest|current|recent) (?:stable )?(?:version|release)|version number|version(?= of)"
            "|release number",
        ),
        r"version|\bv\d|release[ds]?\b|edition|build \d|\d+\.\d+\.\d+"
        r"|(?<!python )(?<!java )(?<!node )(?<!php )\b[A-Za-z]\w+ \d+\.\d+\b|\bv?\d+\.\d+ (?:follows|came"
        "|is out|brings|adds|fixes)",
    ),
    Words(
        "a release date",
        asks(
            "release date|launch date|publication date|date of publication",
            r"\b(?:when|what (?:year|date)|which year)\b[^?]{0,90}\b(?:released|launched|publish(?:ed)?"
            r"|come out|came out|introduced|go on sale|put on the market|announced|unveiled)\b",
        ),
        r"releas|publish|publication|launch|c[ao]me? out|appear|issued?\b|introduc|unveil|premi[eè]r|debut"
        r"|announc|available|\bsince\b|market|on sale|shipped|first (?:version|edition|shown|sold|seen|given"
        r"|performed|played|broadcast|aired|screen|print)|copyright|©|\(\d{4}\)|model year|present(?:ed|s)"
        r"|start(?:ed|s)?\b|open(?:ed|s)\b|print|hit the|\b(?:in|of|from) (?:the )?(?:\w+ )?(?:1[5-9]|20)\d\d"
        r"|wr(?:ote|itten)|record|album|film|\d\.\d[^\n.]{0,20}\b20\d\d\b",
    ),
    Words(
        "a programming language",
        asks(
            "programming languages?|language is it (?:written|programmed|coded)",
            r"\bwhat\b[^?]{0,90}\b(?:written|programmed|coded|implemented) in\b",
            r"\blanguage\b[^?]{0,90}\b(?:written|programmed|coded|implemented) in\b",
        ),
        r"programming|written in|implemented in|\bpython|\bjava|\brust\b|c\+\+|c#|\bgo(?:lang)\b|\bGo \d"
        r"|kotlin|swift|typescript|ruby|\bphp\b|perl\b|haskell|scala\b|\blua\b|\bzig\b|elixir|erlang|fortran"
        r"|cobol|pascal|\bsql\b|\.net\b|node\.js|npm|pip\b|pipx|cargo|gem\b|\bC code|electron|codebase"
        r"|source code|(?-i:\bGo\b)|\bcode\b",
    ),
    Words(
        "a memory size",
        asks("memory|ram", r"\bhow much (?:memory|ram)\b"),
        r"memory|\bram\b|\d ?[GMT]i?B\b|gigabyte|megabyte",
    ),
    Words(
        "a number of employees",
        asks(
            "",
            # "How many sick days did employees take?" counts days, "How many staff meetings" meetings.
            rf"\bhow many {OF_WHICH}(?:employees|people (?:work|are employed)|staff(?! (?!members?\b|{VERB})[a-z]))\b",
            r"\bhow (?:large|big)\b[^?]{0,90}\b(?:staff|workforce)\b",
            r"\bhow many (?:people )?(?:do|does|did) [^?]{0,90} employ\b",
            r"\bnumber of employees\b",
        ),
        counted(
            r"employ|staff|worke?(?:rs|force|ed|s)\b|people|personnel|colleagues|crew|men\b|women|members"
            "|persons|labou?rer|team of|jobs",
            "headcount",
            "workforce|payroll",
        ),
    ),
    Words(
        "a number of users",
        asks(
            "",
            r"\bhow many (?:[\w-]+ )?(?:users|customers|clients|subscribers|downloads|installations"
            r"|installs)\b",
        ),
        counted(
            "users?|customers?|clients?|subscri|download|install|people|accounts|members|households|buyers"
            "|companies|companies use",
        ),
    ),
    Words(
        "a number of visitors",
        asks(
            "",
            r"\bhow many (?:[\w-]+ )?(?:visitors|guests|tourists|attendees|spectators|people (?:visit|attend"
            r"|come|came|are expected))\b",
            r"\battendance\b",
        ),
        counted(
            r"visit|guest|attend|touris|people|audience|spectator|crowd|participant|came\b|fans|persons"
            r"|passengers|tickets|use\b|members|delegates",
        ),
    ),
    Words(
        "a population",
        asks(
            "population",
            r"\bhow many (?:people|inhabitants|residents)\b[^?]{0,90}\b(?:live|lived|reside|inhabitants"
            r"|residents)?\b(?=[^?]{0,90}\b(?:live|lived|reside|inhabit|resident))",
            r"\bhow many (?:inhabitants|residents)\b",
        ),
        counted(
            r"inhabit|populat|resident|people|liv(?:e|es|ed|ing)\b|citizens|souls|households|persons",
            "populat",
        ),
    ),
    Words(
        "a number of beds",
        asks("", r"\bhow many (?:[\w-]+ )?beds\b"),
        counted("beds?|patients|inpatients"),
    ),
    Words(
        "a number of seats",
        asks(
            "",
            r"\bhow many (?:[\w-]+ )?(?:seats|people (?:does|can|will) [^?]{0,90}(?:seat|hold|accommodate))\b",
            r"\bseating capacity\b",
        ),
        counted("seat|capacit|hold|accommodat|places|people|spectators|persons|fit|audience|passengers|guests"),
    ),
    Words(
        "parking",
        asks("parking(?: spaces?| lots?)?", r"\bwhere\b[^?]{0,90}\bpark\b"),
        r"park|garage|space|\bcars?\b|vehicle",
    ),
    Words(
        "a phone number",
        asks(
            "(?:tele)?phone(?: numbers?)?|hotline|telephone",
            r"\b(?:call|phone|ring) (?:you|them|support|customer)\b",
        ),
        r"phone|\btel\b|\btel[.:]|\bcall(?:s|ed|ing)? (?:us|the|on|at|him|her|\d|\+|in|back)|\bcall:|\bdial"
        r"|hotline|\+\d|(?<!\d)(?:0\d|\(0|[48]00)[\d ()/-]{5,}\d|\b\d{3}[-. ]\d{3,4}[-. ]?\d{4}\b|\bfax"
        r"|mobile|\bext\.? ?\d|extension|cell(?:phone)?:",
    ),
    Words(
        "an e-mail address",
        asks("e-?mails?(?: address(?:es)?)?", r"\be-?mail\b"),
        r"e-?mail|\w@\w|\bmail(?:box|to)|write to|write to",
    ),
    Words(
        "a contact",
        asks(
            "contact (?:details|person|information)|support contact",
            r"\bhow (?:can|do|could) (?:I|we|you|one) (?:contact|reach)\b",
        ),
        r"contact|e-?mail|\w@\w|phone|\bcall\b|hotline|\bform\b|\bforum|\bchat\b|ticket|help ?desk|write to"
        r"|support (?:team|is|line|hours|desk)|service (?:desk|team|line)|reach|\bask\b|report (?:to|a|it)"
        r"|https?:|tracker|\+\d|turn to|front desk",
    ),
    Words(
        "a website",
        asks("web ?sites?|urls?|home ?page|web address"),
        r"web ?site|www|https?:|\.(?:com|org|net|io|de|eu|uk|cn)\b|home ?page|\bonline\b|\burl\b|portal",
    ),
    Words(
        "a headquarters",
        asks("headquarters|head office", r"\bwhere (?:is|are|was)\b[^?]{0,90}\b(?:based|headquartered)\b"),
        r"headquarter|\bbased\b|\bseat\b|head office|\boffices? (?:in|at|is|are)\b|located|situated|address"
        r"|street|\broad\b|avenue|(?-i:\b(?:in|near) (?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov"
        "|Dec)[A-Z][a-z]{2,})",
    ),
    Words(
        "opening hours",
        asks(
            "opening (?:hours|times)|business hours|visiting hours|office hours",
            r"\bwhen (?:is|are|does|do)\b[^?]{0,90}\b(?:open|close)\b",
        ),
        r"\bopen|\bclos(?:e|ed|es|ing)\b|\bhours\b|\d ?(?:[ap]\.?m\b)|\d{1,2}[:.]\d\d|o'clock|\bdaily\b"
        r"|from (?:\d|\w+) to|round the clock|24/7|midnight|\bnoon|mon(?:day)?\b.{0,30}\bfri|dawn|dusk"
        "|sunrise",
    ),
    Words(
        "a court",
        asks("courts?|jurisdiction|governing law|applicable law|place of jurisdiction"),
        r"\bcourt|jurisdict|\blaws?\b|arbitra|tribunal|dispute|judg|governed|legal|quarrel|disagree|litigat"
        r"|mediat|settled|sued?\b",
    ),
    Words(
        "a trial",
        asks("(?:free )?trials?(?: period| version)?|demo(?: version)?|free version"),
        r"\btrial|\bfree\b|\bdemo|\btest(?:ing|ed)? (?:version|period|for)|\btry\b|evaluat|money.back"
        r"|\bsample|costs? nothing|no charge|without paying|first (?:month|week|\d+ days)|before you (?:buy"
        "|pay)",
    ),
    Words(
        "parental leave",
        asks(
            "(?:parental|maternity|paternity|childcare|family|adoption) leave",
            r"\b(?:parental|maternity|paternity|adoption) leave\b",
        ),
        r"parent|matern|patern|pregnan|\bbirth\b|\bbab(?:y|ies)|child|adopt|confinement|mother|father"
        "|new-?born",
    ),
    Words(
        "bereavement leave",
        asks(
            "(?:bereavement|compassionate) leave",
            r"\b(?:bereavement|compassionate) leave\b",
            r"\b(?:days?|time) off\b[^?]{0,90}\b(?:funeral|death|bereavement)",
        ),
        r"bereave|compassionate|death|funeral|\bdie[ds]?\b|relative|family|passing|special leave"
        "|personal reason",
    ),
    Words(
        "leave for a wedding",
        asks(
            "(?:wedding|marriage|marital) leave",
            r"\b(?:wedding|marriage|marital) leave\b",
            r"\boff\b[^?]{0,90}\b(?:wedding|marriage|marry|get married)",
        ),
        "wedding|marri|marry|special leave|personal reason|family event|registry",
    ),
    Words(
        "unpaid leave",
        asks("(?:unpaid|study|educational|sabbatical) leave|sabbaticals?", r"\bunpaid leave\b|\bsabbatical"),
        "unpaid|without pay|sabbatical|leave of absence|study|educational|training|special leave|career break",
    ),
    Words(
        "a job title",
        asks("job title|title|position|role"),
        r"title|position|\brole\b|\bhead\b|manager|director|officer|lead(?:er|s)?\b|engineer|\bchief"
        "|president|assistant|analyst|consultant|professor|clerk|secretar|chair|owner|coordinat|responsib"
        "|works? as|speciali|advis|supervis|account|design(?:er)|architect|partner|founder|editor|teacher"
        r"|minister|member|\bas an? |\bC[EFTIO]O\b|is (?:the|an?) \w+|looks? after|handles?\b|takes? care"
        r"|\bruns?\b|in charge|\bcares? for",
    ),
    Words(
        "a superior",
        asks("manager|boss|superior|supervisor|line manager", r"\b(?:report|reports) to\b"),
        r"manager|\bboss|superior|supervis|reports? to|\bhead\b|\blead|director|chief|\bCEO\b|\bunder\b"
        r"|in charge|responsib|president|coach|answers to|above (?:him|her)|works for|\bchair",
    ),
    Words(
        "an office",
        asks(
            "",
            r"\bwhere is [^?]{0,90}\boffice\b",
            r"\b(?:what|which) (?:is [^?]{0,90})?(?:room|office) (?:number|is)\b",
        ),
        r"office|\broom\b|floor|building|desk|\b[A-Z]-?\d{2,}|located|sits|based|address",
    ),
    Words(
        "a tax",
        asks("vat|(?:sales )?tax(?:es)?|value.added tax"),
        r"\bvat\b|\btax|duty|duties|gross|\bnet\b|exempt|customs",
    ),
    Words(
        "a dress code",
        asks("dress code|uniforms?", r"\bwhat\b[^?]{0,90}\b(?:wear|dress)\b"),
        r"\bdress|\bwear|\bworn\b|cloth|attire|\bsuits?\b|uniform|jeans|shoes|\bties?\b|casual|apron|helmet"
        "|jacket|costume|robe",
    ),
    Words(
        "a pension",
        asks("pensions?(?: plan| scheme)?|retirement (?:plan|age)|401"),
        r"pension|retire|superannuat|401|old.age|provident|old age|later life|\bwhen (?:you|they) stop work"
        r"|fund\b",
    ),
    Words(
        "health insurance",
        asks("(?:health|medical|dental) insurance|health (?:plan|cover)"),
        r"insur|medical|health|\bcover",
    ),
    Words(
        "a pet rule",
        asks("pets?|dogs|animals allowed", r"\bpets\b|\bdogs allowed\b|\bkeep (?:a )?(?:dog|cat|pet)"),
        r"\bpets?\b|\bdogs?\b|\bcats?\b|animal",
    ),
    Words(
        "a password",
        asks("passwords?|passcodes?|pin code|login"),
        r"password|passcode|passphrase|\bpin\b|credential|secret|login|log in|sign in|\bkey\b|token",
    ),
    Words(
        "a publisher",
        asks("publishers?|publishing house", r"\b(?:who|which \w+) publish(?:es|ed)\b"),
        r"publish|\bpress\b|printed|\bprinter|issued|imprint|edition|\bhouse\b|magazine|journal|label"
        "|released by|brought out|newspaper|appear(?:ed|s) (?:with|at|in)|came out|with the house|brought",
    ),
    Words(
        "a translator",
        asks("translators?", r"\bwho(?: \w+)? translated?\b"),
        r"translat|render(?:ed|ing)|\bversion|into (?:English|French|German|Italian|Spanish|Latin|Chinese)",
    ),
    Words(
        "an inventor",
        asks("inventors?|discoverers?", r"\bwho(?: \w+)? (?:invent|discover)\w*"),
        rf"invent|discover|devis|develop|creat|pioneer|patent|found|\bfirst\b|conceiv|{BY}|design|identif"
        r"|observ|detect|isolat|introduc|propos|publish|built|produc|describ|credit|attribut|\bidea|goes back"
        "|thought (?:of|up)|brain|originat",
    ),
    Words(
        "a speed limit",
        asks("speed limits?"),
        r"speed|km/h|\bmph\b|kph|slow|fast",
    ),
    Words(
        "a postal address",
        asks("(?:postal |street |mailing |full )?address(?:es)?|postcode|zip code"),
        r"address|street|\broad\b|avenue|\blane\b|square|\bst\.|\brd\.|p\.?o\.? box|\b[A-Z]?\d{4,5}\b|located"
        r"|situated|quay|drive\b|@|https?:",
    ),
    Words(
        "a number of pages",
        asks("page count", r"\bhow many (?:[\w-]+ )?pages\b"),
        counted(r"pages?\b|pp\b|sheets?|volumes?|leaves"),
    ),
    Words(
        "a number of floors",
        asks("", r"\bhow many (?:[\w-]+ )?(?:floors|storeys|stories|levels)\b"),
        counted("floors?|stor(?:ey|y|ies)|levels?|decks?", "storey"),
    ),
    Words(
        "a number of rooms",
        asks("", r"\bhow many (?:[\w-]+ )?(?:bed)?rooms\b"),
        counted("(?:bed)?rooms?|chambers?|suites?|halls?|apartments?|cabins?|offices?"),
    ),
    Words(
        "a number of students",
        asks("", r"\bhow many (?:[\w-]+ )?(?:students|pupils|undergraduates)\b"),
        counted(
            "students?|pupils?|learners?|enrol|child|undergrad|graduates?|people|boys|girls|postgrad|attend|freshm",
        ),
    ),
    Words(
        "a number of members",
        asks("", r"\bhow many (?:[\w-]+ )?members\b"),
        counted(
            r"members?|people|joined|belong|players?|men\b|women|strong|persons|states|countries|seats"
            "|representatives",
        ),
    ),
    Words(
        "working from home",
        asks("home ?office|remote work(?:ing)?|telework(?:ing)?", r"\bwork(?:ing)? (?:from home|remotely)\b"),
        r"remote|\bhome|telework|hybrid|mobile work|anywhere",
    ),
    Words(
        "a canteen",
        asks("canteen|cafeteria|lunch(?:es)?|free (?:lunch|meals|food)"),
        r"canteen|cafeteria|lunch|meal|\bfood|kitchen|restaurant|\beat|breakfast|catering|dining|soup"
        r"|sandwich|coffee|snack|\bdish|\bcook|\bchef|menu|vending",
    ),
    Words(
        "a gym",
        asks("gym|fitness (?:room|cent(?:er|re)|studio)|sports? (?:facilities|offer)"),
        r"\bgym|fitness|sport|exercise|swim|yoga|training room",
    ),
    Words(
        "a company car",
        asks("company cars?|car allowance"),
        r"\bcars?\b|vehicle|fleet|\bdriv(?:e|ing)|leasing",
    ),
    Words(
        "training",
        asks("training(?: budget| courses?)?|courses"),
        r"train|\bcourse|learn|seminar|educat|workshop|\bstud|taught|lesson|certif|conference",
    ),
    Words(
        "a place of the servers",
        asks(
            "data cent(?:er|re)s?|hosting provider",
            r"\bwhere\b[^?]{0,90}\b(?:servers?|hosted)\b",
            r"\bservers?\b[^?]{0,40}\b(?:located|hosted|stand)\b",
        ),
        r"server|data cent|\bhost|cloud|\bstor(?:e|ed|age)\b|region|\baws\b|azure|folder|file|disk|machine"
        r"|database|locat|director|\bdata\b[^.]{0,20}\b(?:in|stay|lie|are|remain)\b|running (?:in|on)"
        "|runs (?:in|on)",
    ),
    Words(
        "an uptime",
        asks("uptime|sla|availability guarantee"),
        r"uptime|\bsla\b|availab|9\d(?:\.\d+)? ?%|downtime|outage|service level",
    ),
    Words(
        "a method of payment",
        asks("(?:payment methods?|methods? of payment|means of payment)|credit cards?"),
        r"\bpa(?:y|id)|\bcards?\b|\bcash|invoice|transfer|paypal|cheque|debit|instal|\bvisa\b|master ?card"
        r"|settle|amex|american express|twint|bank\b",
    ),
    Words(
        "a last update",
        asks(
            "last (?:update|revision|change)",
            r"\bwhen\b[^?]{0,90}\blast (?:updated|modified|revised|changed|edited)\b",
        ),
        r"updat|modif|revis|version|as of|chang|edit|\d{4}-\d\d|effective|in force|valid|issued|dated|\d{4}",
    ),
)
