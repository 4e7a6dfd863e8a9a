"""English words for attributes of people, and of who made, owns and leads things."""

from __future__ import annotations

from graph.attributes.english import BY, LIFE, asks
from graph.attributes.words import Words

ATTRIBUTES = (
    Words(
        "a designer",
        asks(
            "designers?|architects?",
            r"\bwho(?: \w+)? (?:design|draft|devise|conceive)\w*",
            r"\bwhose design\b",
        ),
        r"design(?!ed (?:for|to|as|with)\b)|architect|\bdrew|\bdrawn|\bdrawings?\b|\bdraft|\bplan(?:s|ned"
        r"|ner)? (?:by|of|were)\b|conceiv|devis|engineer|sketch|creat(?:ed|or|ion)|invent|brainchild"
        rf"|the work of|develop(?:ed|er)|built by|{BY}|author|styl(?:ed|ist|ing)|pencil|studio|\b(?:desk|hand"
        r"|pen|idea|board) of\b|classic (?:by|from|of)",
    ),
    Words(
        "an author",
        asks("authors?|writers?", r"\bwho(?: \w+)? (?:writes?|wrote|written|authored|penned)\b"),
        rf"author|writ(?:es?|ten|er|ing|ings)\b|wrote|penn?(?:ed|s)\b|novel|poet|composed?r?\b|{BY}|book"
        r"|works?\b|essay|text|draft|libretto|contribut(?:or|ed)|maintain|creat(?:ed|or)|develop(?:ed|er)"
        "|copyright|©|editor|penned",
    ),
    Words(
        "a developer",
        asks(
            "developers?|creators?|maintainers?",
            r"\b(?:who|which (?:company|firm|team|person|organi[sz]ation))(?: \w+)? (?:develop|creat|program"
            r"|maintain)\w*",
            r"\bmaintained by\b",
        ),
        r"develop(?:ed|ers?|s|ment)\b|creat(?:ed|ors?)\b|(?<!\d )author|maintain|contribut(?:or|ed)|copyright"
        rf"|©|programm(?:ed|er)s?\b|wr(?:itten|ote|ites)\b|built by|made by|invent|{BY}|design(?:ed|er)"
        r"|founder|team|company|Inc\b|GmbH|Ltd",
    ),
    Words(
        "a founder",
        asks("(?:co-?)?founders?", r"\bwho(?: \w+)? (?:(?:co-?)?found(?:ed)?|establish|set up|start(?:ed)?)\b"),
        r"found(?:ed|er|ers|ing|ation)\b|establish|\bset up\b|\bstart(?:ed|s)? (?:by|as|in|with|the|out)"
        r"|start-?up|creat(?:ed|or)|launch|\bform(?:ed|ation)\b|\bbegan|\bbegun|institut(?:ed)|opened|origin"
        "|incorporat|built up|brainchild|initiat|pioneer|chartered|spin-?off|organi[sz]ed by|conven",
    ),
    Words(
        "a founding date",
        asks(
            "",
            r"\b(?:when|what year|which year|what date)\b[^?]{0,90}\b(?:founded|established|set up|founding"
            r"|foundation|incorporated)\b",
            r"\bhow old is the (?:company|firm|school|club|university|organi[sz]ation)",
        ),
        r"found(?:ed|er|ers|ing|ation)\b|establish|\bset up\b|\bstart(?:ed|s)?\b|creat(?:ed|ion)|launch"
        r"|\bform(?:ed|ation)\b|\bbeg[au]n|instituted|open(?:ed|s)|origin|incorporat|\best\.|\bsince\b"
        r"|dat(?:es|ing) (?:back|from)|goes back|histor|charter|inaugurat|years? (?:old|ago)|\bborn\b|century"
        r"|(?:in|from) \d{4}",
    ),
    Words(
        "a building date",
        asks("", r"\b(?:when|what year|which year)\b[^?]{0,90}\b(?:built|constructed|erected)\b"),
        "built|construct|erect|complet|open(?:ed|s)|dat(?:es|ed|ing) (?:from|to|back)|century|inaugurat"
        r"|raised|put up|finished|\brose\b|\blaid|\b1\d{3}\b|\b20\d\d\b|founded|years? (?:old|ago)|took shape",
    ),
    Words(
        "a chief executive",
        asks(
            "ceo|chief executives?|managing director|general manager|(?:boss|head|president"
            r"|director) (?:of the (?:company|firm))|c\.e\.o\.",
            r"\bwho (?:runs|heads|leads) (?:the )?(?:company|firm|business)\b",
        ),
        r"chief exec|\bceo\b|c\.e\.o|(?:managing|executive|general) (?:director|manager)|president|\bdirector"
        r"|chair(?:man|woman|person|ed|s)?\b|\bhead(?:s|ed)?\b(?! office)|\bled by\b|\bleads\b|\bruns (?:the"
        r"|a|it)\b|run by|\bboss|at the helm|found(?:er|ed)\b|\bowner|principal|executive|manag(?:ed|es"
        r"|ing)\b|took over|takes over|in charge|entrepreneur|proprietor|\btop of\b|steer|in command|\bhelm"
        r"|\bguid(?:es|ed)\b",
    ),
    Words(
        "a director",
        asks(
            "(?:medical |technical |artistic |executive )?(?:director|head|manager|president|chair(?:man"
            r"|woman|person)?)(?= of\b)|head ?(?:master|mistress|teacher)|principal|dean|rector",
        ),
        r"director|\bheads?\b(?! office)|headed|head ?(?:master|mistress|teacher)|\bled by\b"
        r"|\bleads?\b(?! time)|manage[rd]|\bchief\b|\bchair|president|principal|\brun by\b|\bruns the\b"
        r"|\bceo\b|in charge|superintend|\bdean|rector\b|executive|direct(?:s|ed|ing)\b|founder|governor"
        "|conduct(?:or|ed by)|appointed|elected|owner",
    ),
    Words(
        "a mayor",
        asks("mayor|governor|head of (?:the )?(?:town|city)"),
        r"mayor|governor|burgomaster|provost|councill?or|president|prefect|head of|\bgovern|elected|ruled"
        "|led by|magistrate",
    ),
    Words(
        "an owner",
        asks(
            "owners?|proprietors?|landlords?|parent company",
            r"\bwho (?:owns|owned|possesses)\b",
            r"\bwho(?:m)?\b[^?]{0,90}\bbelong(?:s|ed)? to\b",
        ),
        r"\bown(?:s|ed|er|ers|ership|ing)?\b|belong|property of|possess|proprietor|\bheld\b|b(?:ought|uys?)\b"
        r"|acqui|purchas|\bsold\b|landlord|subsidiar|in the hands|private|state-owned|public(?:ly)?\b|operat"
        r"|\brun by\b|maintain|manag|trust|parent|\bpart of\b|donat|inherit|heir|took over|leas(?:ed|es)"
        r"|tak(?:en|es) over|lessor|control|passed (?:to|into)|\bhands\b|\bgiven to\b|bequeath|\bleft to\b",
    ),
    Words(
        "a manufacturer",
        asks(
            "manufacturers?|makers?|producers?",
            r"\bwho(?: \w+)? (?:makes?|manufactures?|manufactured|produces?)\b",
            r"\bwhich (?:company|firm|brand) (?:makes?|manufactures?|produces?|made)\b",
        ),
        r"manufactur|\bmade (?:by|at|in)\b|\bmak(?:er|ers|es)\b|produc(?:er|ers|ed|es|tion)\b|\bbuil[dt]"
        r"|factory|\bplant\b|compan(?:y|ies)|\bLtd|\bInc\b|GmbH|\bCorp|\bAG\b|\bCo\.|brand|supplie[rds]"
        rf"|assembl|firm\b|works\b|vendor|{BY}",
    ),
    Words(
        "a place of manufacture",
        asks(
            "country of origin|place of (?:manufacture|production)",
            r"\bwhere\b[^?]{0,90}\b(?:manufactured|produced|made|assembled|built)\b",
            r"\b(?:which|what) country\b[^?]{0,90}\b(?:manufactured|produced|made|assembled)\b",
        ),
        r"manufactur|\bmade (?:in|at|of|from|by)\b|produc(?:ed|tion|es)\b|factor(?:y|ies)|\bplants?\b|assembl"
        r"|origin|built (?:in|at|by)|\bcomes? from\b|\bmills?\b|workshop|import|grown|works at|put together"
        r"|works in\b|\bbuil(?:t|ds)\b|\bfrom the\b[^.]{0,20}works",
    ),
    Words(
        "a seller",
        asks(
            "importers?|distributors?|dealers?|resellers?|retailers?|suppliers?",
            r"\bwhere (?:can|do|could|may) (?:I|you|we|one) (?:buy|order|purchase|get it)\b",
            r"\bwho (?:sells|sold|imports|distributes|supplies)\b",
        ),
        r"import(?:s|ed|er|ers|ing)?\b(?! it\b)|distribut|dealer|\bsell|\bsold\b|\bsale|\bshops?\b"
        r"|\bstores?\b|retail|\bbuy|bought|purchas|\border(?:s|ed)?\b|available (?:from|at|in|through)|vendor"
        r"|suppl(?:ier|ied|ies)|market|outlet|stockist|agent|\bget (?:it|the|them|one|yours)\b|\bbranch"
        r"|from any\b|\bonline\b|\bavailable\b",
    ),
    Words(
        "a sponsor",
        asks(
            "sponsors?|funders?|donors?",
            r"\bwho (?:sponsors?|sponsored|funds?|funded|finances?|financed|pays for|paid for)\b",
        ),
        r"sponsor|\bfund|financ|donat|donor|\bgrant|\bback(?:ed|er|ers|ing)\b|partner|contribut|subsid"
        r"|\bpaid (?:for )?by|\bpays?\b|endow|philanthrop|patron|support(?:ed|er|ers)? (?:by|of)|money|invest"
        r"|\bbills?\b|made possible|\bcarr(?:y|ies|ied) the cost|foot(?:s|ed)\b|at the expense",
    ),
    Words(
        "a minute taker",
        asks(
            "minute[- ]taker|note[- ]taker|recorder|secretary",
            r"\bwho (?:took|takes|kept|wrote|recorded) (?:the )?(?:minutes|notes)\b",
        ),
        "minutes? (?:taken|by|writ|record|kept|:)|minute[- ]taker|minuted|recorder|recorded by|note-?taker"
        "|notes (?:taken )?by|notes:|secretar|scribe|clerk|minutes?:|protocol",
    ),
    Words(
        "a spouse",
        asks("husbands?|wife|wives|spouses?|fianc[ée]e?", r"\b(?:married|marry|wed)\b"),
        r"husband|\bwife\b|wives|spouse|marri|marry|\bwed\b|wedd|widow|\bbride|groom|partner|divorc|couple"
        r"|engaged to|consort|fianc|romance|lover|\bqueen\b|\bking\b|duchess|\bduke|\bmrs\b|\baltar"
        r"|shared (?:his|her) life|lived with|companion|\bmother of his|father of her",
    ),
    Words(
        "children",
        asks(
            "",
            r"\bhow many (?:children|kids|sons|daughters)\b[^?]{0,90}\b(?:have|has|had|raise|bear)\b",
            r"\b(?:his|her|their|'s) (?:children|kids|sons?|daughters?)\b",
            r"\b(?:have|has|had)(?: any)? (?:children|kids)\b",
        ),
        r"child|\bsons?\b|daughter|\bkids?\b|offspring|father of|mother of|\bheirs?\b|descend|\btwins?\b"
        r"|\bbab(?:y|ies)|\bboys?\b|\bgirls?\b|gave birth|issue\b|parents? of|family of|grandchild"
        r"|\bhad (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|no)\b",
    ),
    Words(
        "a mother",
        asks("mother(?:'s name)?", r"\bmother's\b"),
        r"mother|\bmum\b|\bmom\b|parent|\bn[ée]e\b|\bborn (?:to|into)\b|daughter of|\bson of\b|orphan"
        "|family of|child of",
    ),
    Words(
        "a father",
        asks("father(?:'s name)?", r"\bfather's\b"),
        r"father|\bdad\b|parent|\bborn (?:to|into)\b|daughter of|\bson of\b|\bsons? \b|orphan|family|child of"
        "|heir|descend",
    ),
    Words(
        "siblings",
        asks("siblings?|brothers?|sisters?"),
        r"sibling|brother|sister|\btwins?\b|\bsons\b|daughters|family|eldest|youngest|only child|(?:first"
        "|second|third|fourth|fifth) (?:child|son)|cousin",
    ),
    Words(
        "a date of birth",
        asks(
            "date of birth|birthday|birth ?date|birth year|year of birth",
            r"\b(?:when|what (?:year|date|day)|which year)\b[^?]{0,90}\bborn\b",
        ),
        rf"\bborn\b|birth|\bb\. |{LIFE}|\baged?\b|years? old|year-old|\bages? of\b|christened|bapti[sz]"
        r"|\bin h(?:is|er) (?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)|\(\*|\* ?\d|light of day"
        "|came into the world",
    ),
    Words(
        "an age",
        asks(
            "",
            r"\bhow old (?:is|was) (?:he|she|his|her)\b",
            r"\bhow old was (?-i:[A-Z])[^?]{0,90}\b(?:when|at)\b",
            r"\bwhat (?:is|was) (?:his|her|[A-Z][\w' ]{1,40}'s) age\b",
        ),
        rf"\bborn\b|birth|\bb\. |{LIFE}|\baged?\b|years? old|year-old|\bages?\b|\bold\b|young|\b(?:at|turned"
        r"|just|only) (?:\d\d|\w+teen|\w+ty(?:-\w+)?)\b|anniversary|\(\*|\* ?\d",
    ),
    Words(
        "a birthplace",
        asks("birthplace|place of birth|home ?town", r"\bwhere\b[^?]{0,90}\bborn\b"),
        r"\bborn\b|birth|native|home ?town|\bgrew up\b|\braised\b|origin|hails?\b|c[ao]mes? from|came from"
        r"|\bis from\b|childhood|\bb\. |upbringing|farm|\bson of\b|daughter of|family|moved (?:from|to)"
        r"|(?-i:\bfrom [A-Z])|\(\*|light of day|came into the world",
    ),
    Words(
        "a death",
        asks(
            "date of death|year of death|place of death",
            r"\b(?:when|where|how|what year|which year|at what age|how old)\b[^?]{0,90}\b(?:die|died|dies"
            r"|killed|pass(?:ed)? away|death)\b",
        ),
        rf"\bdie[ds]?\b|dying|\bdead\b|death|{LIFE}|kill|passed away|\blate\b|until h(?:is|er)|bur(?:y|ied)"
        r"|murder|assassin|suicid|execut|succumb|drown|perish|\blast (?:years|days)|\blost (?:his|her"
        r"|their) li[fv]e|fatal|casualt|victim|fell in|slain|shot|funeral|memorial|\bd\. |†|\blife ended"
        r"|\bend of (?:his|her) life|\blife of \w+ ended|lost to|\btook (?:his|her) (?:own )?life",
    ),
    Words(
        "a cause of death",
        asks(
            r"cause of (?:(?:his|her|\w+'s) )?death",
            r"\b(?:how|why|what)\b[^?]{0,90}\b(?:did \w+(?: \w+)? die|die of|died of|killed (?:him|her))\b",
        ),
        r"\bdie[ds]?\b|dying|\bdead\b|death|kill|passed away|murder|assassin|suicid|execut|succumb|drown"
        r"|perish|fatal|victim|slain|\bshot|illness|disease|cancer|heart|stroke|fever|accident|pneumonia"
        r"|tubercul|infect|\btook (?:him|her|[A-Z]\w+)\b|illness|hanged|beheaded|starv|collaps",
    ),
    Words(
        "a grave",
        asks(
            "grave|tomb|burial place|resting place",
            r"\bwhere\b[^?]{0,90}\b(?:buried|interred|laid to rest)\b",
        ),
        r"\bbur(?:y|ied|ial)|grave|tomb|cemetery|interred|laid to rest|resting|mausoleum|ashes|crypt"
        "|churchyard|cremat|funeral|vault|remains",
    ),
    Words(
        "an education",
        asks(
            "alma mater|universit(?:y|ies)|education|degrees?",
            r"\bwhere\b[^?]{0,90}\b(?:study|studied|graduate|educated|go to (?:school|college|university))\b",
            r"\bgraduate(?:d)? from\b",
        ),
        r"universit|college|school|\bstud(?:y|ied|ies|ent)|graduat|degree|educat|alma mater|ph\.?\s?d|doctora"
        "|academy|institut|conservato|train(?:ed|ing)|(?:was|self-?|himself|herself) ?taught|taught (?:him"
        r"|her)|attend|professor|apprentic|m\.?b\.?a|scholar|lectur|faculty|campus",
    ),
    Words(
        "a prize",
        asks("prizes?|awards?|medals?|honou?rs?"),
        r"prize|award|medal|honou?r|\bwon\b|\bwin(?:s|ner|ners|ning)?\b|trophy|laureate|recogni[sz]|decorated"
        r"|knight|title|order of|oscar|grammy|champion|fellow|member of|distinction|rank|cup\b|commendation"
        r"|plaque|ribbon|\breceived the\b|\bcrown|bestow|presented with|garland|nominat|star\b",
    ),
    Words(
        "a religion",
        asks("religions?|faith|denomination|religious"),
        "relig|church|christ|catholic|protestant|lutheran|methodist|baptist|anglican|orthodox|muslim|islam"
        r"|jew|buddh|hindu|sikh|faith|belie[fv]|atheis|agnostic|\bpray|bapti[sz]|priest|worship|\bgod|temple"
        r"|mosque|\bsect|monk|nun\b|bishop|spiritual|secular|puritan|calvin|huguenot|cult|mission",
    ),
    Words(
        "a political party",
        asks("political (?:party|parties|views?|affiliation)|party"),
        r"part(?:y|ies)\b|politic|communis|socialis|liberal|conservativ|democra|republican|labou?r|elect|vote"
        "|parliament|senat|left-wing|right-wing|fascis|green",
    ),
    Words(
        "a composer",
        asks("composers?", r"\bwho(?: \w+)? compos\w*", r"\bwho wrote the (?:music|score|song)"),
        rf"compos|music|\bscore|wr(?:ote|itten)|\bset to\b|{BY}|\bsong|melod|penned",
    ),
    Words(
        "a film director",
        asks("film director|stage director", r"\bwho(?: \w+)? direct(?:s|ed)\b"),
        rf"direct|film-?maker|\bhelm|{BY}|produc|staged|auteur",
    ),
    Words(
        "a painter",
        asks(
            "painters?|illustrators?|photographers?",
            r"\bwho(?: \w+)? (?:paint|illustrat|photograph|sculpt)\w*",
        ),
        rf"paint|artist|illustrat|photo|sculpt|{BY}|\bwork of|drawn|portrait|engrav|drew|fresco|carved|canvas"
        r"|brush|made it|\bcreat|picture by",
    ),
    Words(
        "an approver",
        asks("approver", r"\bwho(?: \w+)? (?:approved|authori[sz]ed|ratified)\b"),
        rf"approv|\bsign(?:ed|s|ature)?\b|authori[sz]|endors|ratif|\bpassed|\bagreed|{BY}|confirm|accepted"
        r"|released by|decided|consent|green light|\bnod|go-ahead|blessing|\bvoted?\b|gave (?:his|her|its)"
        "|permission|accord",
    ),
    Words(
        "a successor",
        asks("successors?|predecessors?", r"\bwho (?:succeeded|preceded|replaced|followed|took over)\b"),
        r"succe|predecess|preced|follow|replac|\bafter\b|took over|takes over|\bnext\b|inherit|\bheir|former"
        r"|until|\bsince\b|became|previous",
    ),
    Words(
        "a nickname",
        asks("nicknames?|pseudonyms?|pen name|real name|maiden name|birth name"),
        r"nick|known as|called|alias|pseudonym|pen name|\bn[ée]e\b|\bborn\b|dubbed|\bname|epithet|[“”]|\x22",
    ),
)
