"""Words of the invented facts: places, bodies, measures, treatments and benefits, each in Japanese and in English."""

from __future__ import annotations

Word = tuple[str, str]


def words(text: str) -> tuple[Word, ...]:
    """Pairs written as `日本語=English|…`."""
    found = (each.strip().split("=") for each in text.replace("\n", "").split("|"))
    return tuple((each[0], each[1]) for each in found)


PLACES = words("""
北浜市=Kitahama|青葉町=Aoba|南原市=Minamihara|白川村=Shirakawa|東野市=Higashino|海老沢市=Ebisawa|緑区=Midori Ward|
港町=Minatomachi|山手県=Yamate Prefecture|大野県=Ono Prefecture|西島市=Nishijima|川辺町=Kawabe|全国=the country|
首都圏=the capital region|地方圏=rural areas|都市部=urban areas|東北地方=the Tohoku region|九州=Kyushu|
北海道=Hokkaido|関西=Kansai|英国=the United Kingdom|米国=the United States|ドイツ=Germany|フランス=France|
韓国=South Korea|スウェーデン=Sweden|カナダ=Canada|インド=India|ブラジル=Brazil|欧州連合=the European Union
""")
MEASURES = words("""
出生数=the number of births|出生率=the birth rate|待機児童数=the number of children waiting for day care|
保育所の定員=nursery capacity|育児休業の取得率=the share of parents taking leave|失業率=the unemployment rate|
平均賃金=the average wage|物価=consumer prices|家賃=rents|交通事故の件数=the number of road accidents|
犯罪の件数=reported crime|観光客数=the number of tourists|人口=the population|転入者数=the number of newcomers|
入院患者数=the number of hospital patients|感染者数=the number of infections|死亡率=the death rate|
喫煙率=the smoking rate|ワクチンの接種率=vaccine uptake|医療費=medical spending|電力消費量=electricity use|
温室効果ガスの排出量=greenhouse gas emissions|平均気温=the average temperature|降水量=rainfall|
ごみの量=the amount of waste|再生可能エネルギーの割合=the share of renewable energy|輸出額=exports|
税収=tax revenue|教員の数=the number of teachers|学力テストの平均点=average test scores|
不登校の児童数=the number of pupils absent from school|空き家の数=the number of vacant houses|
鉄道の利用者数=rail ridership|図書館の貸出数=library loans|農業従事者の数=the number of farm workers
""")
BODIES = words("""
市=the city|県=the prefecture|政府=the government|厚生労働省=the health ministry|
文部科学省=the education ministry|町議会=the town council|国会=parliament|保健所=the public health office|
教育委員会=the board of education|市議会=the city council|委員会=the committee|会社=the company|
大学=the university|病院=the hospital|都=the metropolis
""")
BENEFITS = words("""
児童手当=the child allowance|出産祝い金=the birth grant|保育料の補助=the nursery subsidy|
家賃補助=the rent subsidy|医療費の助成=medical cost aid|奨学金=the scholarship|住宅手当=the housing benefit|
給食費の補助=the school meal subsidy|失業給付=unemployment benefits|介護手当=the care allowance|
燃料補助金=the fuel subsidy|通学費の補助=the school travel subsidy|育児休業給付=the parental leave benefit|
年金=the pension|不妊治療の助成=fertility treatment aid|最低賃金=the minimum wage
""")
TREATMENTS = words("""
この薬=the drug|新しい降圧薬=the new blood pressure drug|メトホルミン=metformin|アスピリン=aspirin|
ビタミンDの補充=vitamin D supplements|インフルエンザワクチン=influenza vaccination|緑茶=green tea|
コーヒー=coffee consumption|有酸素運動=aerobic exercise|食塩の制限=salt restriction|瞑想=meditation|
スタチン=statins|経口血糖降下薬=oral glucose-lowering drugs|母乳育児=breastfeeding|マスクの着用=wearing masks|
手洗いの徹底=frequent hand washing|少人数学級=small classes|早期の英語教育=early English lessons|
保育料の無償化=free nursery care|現金給付=cash benefits|育児休業の延長=longer parental leave|
在宅勤務=working from home|都市の緑化=urban greening|炭素税=a carbon tax|速度制限の引き下げ=lower speed limits|
間欠的断食=intermittent fasting|プロバイオティクス=probiotics|睡眠時間の延長=longer sleep|
禁煙指導=counselling smokers|遠隔診療=telemedicine
""")
OUTCOMES = words("""
心不全による入院=hospitalisation for heart failure|心血管死=cardiovascular death|脳卒中=stroke|
低血糖=hypoglycaemia|体重=body weight|血圧=blood pressure|コレステロール値=cholesterol levels|膵炎=pancreatitis|
骨折=fractures|感染=infection|発熱=fever|認知症=dementia|うつ症状=depressive symptoms|喘息の発作=asthma attacks|
早産=preterm birth|出生率=the birth rate|女性の就業率=women's employment|学力=school performance|
離職率=staff turnover|大気汚染=air pollution|交通事故=road accidents|排出量=emissions|貧困率=poverty|
待機児童=waiting lists for day care|腎機能の低下=loss of kidney function|再入院=readmission|下痢=diarrhoea|
糖尿病の発症=the onset of diabetes|乳がん=breast cancer|死亡=death from any cause
""")
STUDIES = words("""
無作為化比較試験=A randomised trial|観察研究=An observational study|メタ解析=A meta-analysis|調査=A survey|
五年間の追跡調査=A five-year follow-up study|大規模な試験=A large trial|この研究=The study|報告書=The report
""")
FACILITIES = words("""
保育所=nurseries|病院=hospitals|図書館=libraries|小学校=primary schools|診療所=clinics|公園=parks|
子育て支援センター=family support centres|検査所=testing sites|充電所=charging stations|避難所=shelters
""")
RULES = words("""
事前の申請=prior application|医師の処方=a prescription|所得の証明=proof of income|保護者の同意=parental consent|
予約=an appointment|許可=a permit|年一回の検査=a yearly inspection|用量の調整=dose adjustment|
身分証=identification
""")
SERVICES = words("""
給付の受け取り=receiving the benefit|一時保育=temporary child care|この薬の使用=using this drug|
施設の利用=using the facility|健診=the health check|補助の受給=getting the subsidy|撮影=filming|
屋外での火の使用=open fires|自転車の乗り入れ=cycling|予防接種=vaccination|
腎障害のある人への投与=use in patients with kidney disease
""")
FILLERS = words("""
詳しくは窓口に問い合わせてほしい。=Please ask at the counter for details.|
この記事は更新されることがある。=This article may be updated.|
背景にはさまざまな事情がある。=There are many reasons behind this.|
専門家の間でも関心が高い。=Experts follow the matter closely.|
結果は学会で発表された。=The results were presented at a conference.|資料は公開されている。=The data are public.|
今後も調査を続ける予定だ。=Further studies are planned.|
担当者が会見で説明した。=An official explained this at a press conference.|
住民からはさまざまな声が上がっている。=Residents have voiced many opinions.
""")
