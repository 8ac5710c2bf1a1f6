/** Japanese titles of algorithms, and sentences of the checker and the monitors, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const VERDICTS: Phrases = {
  'Bully_FD with majorities, durable votes and a lease':
    '過半数、永続する投票、リースを使う Bully_FD',
  'Bully_FD with three stages, corrected': '三段階の Bully_FD、修正版',
  'the textbook Bully with two time-outs, corrected':
    'タイムアウトが二つある教科書の Bully、修正版',
  'Chang and Roberts on a one-way ring, with numbered rounds':
    '一方向リングの Chang と Roberts、番号付きのラウンド',
  "Garcia-Molina's Bully of 1982: sequential calls with time-outs":
    'Garcia-Molina の 1982 年の Bully：タイムアウトのある逐次呼び出し',
  "Garcia-Molina's Invitation: groups that merge, one leader in each part of the network":
    'Garcia-Molina の Invitation：合流するグループ、ネットワークの部分ごとにリーダー一つ',
  'Ω: trust in the strongest member that the failure detector does not suspect':
    'Ω：障害検出器が疑わない最も強いメンバーを信頼する',
  'the election of Raft: one vote a term, random time-outs':
    'Raft の選挙：任期ごとに一票、ランダムなタイムアウト',
  'the list-carrying Ring that skips dead successors, corrected':
    '停止した後続を飛ばすリスト運搬の Ring、修正版',
  'the roulette wheel at a majority, with numbered terms and a lease':
    '過半数で決めるルーレット、番号付きの任期とリース',
  'the roulette wheel that waits for all answers or the time-out, with numbered terms':
    'すべての返答かタイムアウトを待つルーレット、番号付きの任期',
  'stable leader election (Ω) in rounds over an unreliable failure detector':
    '信頼できない障害検出器の上でラウンドで進む安定したリーダー選出（Ω）',
  'Hirschberg and Sinclair on a two-way ring: doubled distances':
    '双方向リングの Hirschberg と Sinclair：倍になる距離',
  'Itai and Rodeh on an anonymous one-way ring: equal members draw lots':
    '匿名の一方向リングの Itai と Rodeh：同じメンバーがくじを引く',
  'LeLann on a one-way ring: every number visits every member':
    '一方向リングの LeLann：すべての番号がすべてのメンバーを訪れる',
  'Peterson on a one-way ring: half of the candidates drop out in each phase':
    '一方向リングの Peterson：フェーズごとに候補の半分が脱落する',
  'the Bully as printed in 000, 002 and 004 (specimen)':
    '000、002、004 に印刷されたままの Bully（標本）',
  'Bully_FD as printed in 000 and 001 (specimen)': '000、001 に印刷されたままの Bully_FD（標本）',
  'Chang and Roberts as printed in 004 (specimen)':
    '004 に印刷されたままの Chang と Roberts（標本）',
  'the Ring as printed in 004 (specimen)': '004 に印刷されたままの Ring（標本）',
  'the roulette wheel as printed in 003 (specimen)': '003 に印刷されたままのルーレット（標本）',
  agreement: '合意',
  'agreement in groups': 'グループ内の合意',
  'agreement in the end': '最終的な合意',
  'one leader at a time': '同時にはリーダー一つ',
  'one leader per term': '任期ごとにリーダー一つ',
  'one backed leader': '支持されたリーダー一つ',
  'one at a time': '同時に一つ',
  'one lease at a time': '同時にリース一つ',
  'kept leases': '守られるリース',
  'kept votes': '守られる投票',
  'newer terms': 'より新しい任期',
  'terms rise': '任期は増える',
  'highest leads': '最も強いメンバーがリーダー',
  'the strongest leads': '最も強いメンバーがリーダー',
  always: '常に：',
  eventually: 'いずれ：',
  'any two up members that follow a leader follow the same one':
    'リーダーに従う稼働中の二つのメンバーは、どれも同じリーダーに従う',
  'any two up members that follow a leader in the same term follow the same one':
    '同じ任期にリーダーに従う稼働中の二つのメンバーは、どれも同じリーダーに従う',
  'at most one up member leads': '稼働中のメンバーのうちリーダーは多くて一つ',
  'no two members ever lead in the same term, and no member leads in it twice':
    '二つのメンバーが同じ任期のリーダーになることはなく、一つのメンバーがその任期に二度リーダーになることもない',
  'at most one leader has a majority that voted for no larger term':
    'より大きい任期に投票していない過半数を持つリーダーは多くて一つ',
  'at most one up member is in {status}':
    '稼働中のメンバーのうち状態が {status} のものは多くて一つ',
  'no two members hold an unexpired lease at once':
    '期限内のリースを二つのメンバーが同時に持つことはない',
  'a majority is bonded to each holder of an unexpired lease for at least as long':
    '期限内のリースを持つ各メンバーに、過半数が少なくとも同じだけ長く拘束される',
  'too few members for a majority may still vote below a term that was led in':
    'リーダーのいた任期より下にまだ投票できるメンバーは過半数に足りない',
  "a new leader's term exceeds every term that was won before its candidacy":
    '新しいリーダーの任期は、立候補の前に得られたどの任期よりも大きい',
  "a member's accepted term never falls": 'メンバーが受け入れた任期は下がらない',
  'when faults cease, the up members of each part of the network follow one of them, for ever':
    '障害がやめば、ネットワークの各部分の稼働中のメンバーは、その中の一つにずっと従う',
  'when faults cease, all up members of the newest configuration follow the strongest of them, for ever':
    '障害がやめば、最新の構成の稼働中のメンバーはすべて、その中で最も強いものにずっと従う',
  'when faults cease, all up members of the newest configuration follow one of them, for ever':
    '障害がやめば、最新の構成の稼働中のメンバーはすべて、その中の一つにずっと従う',
  'when faults cease, all up members follow the strongest of them, for ever':
    '障害がやめば、稼働中のメンバーはすべて、その中で最も強いものにずっと従う',
  'when faults cease, all up members follow one of them, for ever':
    '障害がやめば、稼働中のメンバーはすべて、その中の一つにずっと従う',
  'a member leads': 'あるメンバーがリーダーである',
  'two members elect at once': '二つのメンバーが同時に選挙をする',
  'all agree after the last crash and recovery': '最後のクラッシュと復旧の後に全員が合意する',
  'a leader changes the configuration': 'リーダーが構成を変更する',
  'a leader resigns': 'リーダーが辞任する',
  'a member is in {status}': 'あるメンバーの状態が {status} である',
  '{type} is handled': 'メッセージ {type} が処理される',
  'Broken: {property}.': '破られた：{property}。',
  'Ok:': '問題なし：',
  'Not ok:': '問題あり：',
  'Incomplete:': '未完了：',
  'The budget of states was spent before the check was complete.':
    '検査が終わる前に状態の予算を使い切りました。',
  'The memory was spent before the check was complete. Try a smaller budget of faults, or allow more with --memory.':
    '検査が終わる前にメモリを使い切りました。障害の予算を減らすか、コマンドの --memory で増やしてください。',
  'Interrupted; this is what is known so far.': '中断しました。ここまでに分かったことです。',
  '{count} steps beyond the capacity of a link were not followed.':
    'リンクの容量を超える {count} ステップはたどりませんでした。',
  '{count} steps beyond {bound} were not followed.':
    '{bound} を超える {count} ステップはたどりませんでした。',
  'Ids were not renamed, because {reason}.': '識別子の名前は付け替えませんでした。理由：{reason}。',
  '{property}: after quiet, {beliefs}': '{property}：静かになった後、{beliefs}',
  'agreement: {sentence}': '合意：{sentence}',
  'terms rise: {sentence}': '任期は増える：{sentence}',
  'highest leads: {sentence}': '最も強いメンバーがリーダー：{sentence}',
  'one leader per term: {sentence}': '任期ごとにリーダー一つ：{sentence}',
  'one lease at a time: {sentence}': '同時にリース一つ：{sentence}',
  'kept votes: {sentence}': '守られる投票：{sentence}',
  'kept leases: {sentence}': '守られるリース：{sentence}',
  "member {name}'s term fell from {before} to {after}":
    'メンバー {name} の任期が {before} から {after} に下がりました',
  'after quiet all follow {leader}, yet {highest} is up':
    '静かになった後、全員が {leader} に従うが、{highest} が稼働している',
  'after quiet, {beliefs}': '静かになった後、{beliefs}',
  'member {name} is in the group of term {term}, in which {one} and {other} are followed':
    'メンバー {name} は任期 {term} のグループにいるが、そのグループでは {one} と {other} に従っている',
  'member {name} leads in term {term} for the second time':
    'メンバー {name} が任期 {term} に二度目のリーダーになった',
  'members {one} and {other} both lead in term {term}':
    'メンバー {one} と {other} がともに任期 {term} のリーダーである',
  'two leases at once: {list}': '同時に二つのリース：{list}',
  '{count} members may still vote below term {term}, which was led in':
    '{count} 個のメンバーが、リーダーのいた任期 {term} より下にまだ投票できる',
  '{count} of {total} members support the lease of member {name} until {end} ms':
    '{total} 個のうち {count} 個のメンバーが、{end} ms までのメンバー {name} のリースを支持している',
  'member {voter}, whose vote {candidate} has counted for term {term}, may still vote below it':
    '{candidate} が任期 {term} に数えた票の主であるメンバー {voter} は、それより下にまだ投票できる',
  'member {voter}, whose vote {candidate} has counted for term {term}, is not bonded until {end} ms':
    '{candidate} が任期 {term} に数えた票の主であるメンバー {voter} は、{end} ms までは拘束されていない',
  '{name} follows nobody, {rest}': '{name} は誰にも従わず、{rest}',
  '{name} follows {leader}, {rest}': '{name} は {leader} に従い、{rest}',
  '{name} follows nobody': '{name} は誰にも従わない',
  '{name} follows {leader}': '{name} は {leader} に従う',
  'broken: {sentence}': '破られた：{sentence}',
  'the trace ends before the run does': '実行が終わる前にトレースが終わる',
  'the run is cut at {time}, while the election goes on':
    '選挙の途中で実行が {time} で打ち切られる',
  'the page shows the first {steps} steps': 'ページは最初の {steps} ステップだけを示す',
  '{algorithm}, {count} members': '{algorithm}、メンバー {count}',
  'no faults': '障害なし',
  '{count} crash': 'クラッシュ {count} 回',
  '{count} crashes': 'クラッシュ {count} 回',
  '{count} recovery': '復旧 {count} 回',
  '{count} recoveries': '復旧 {count} 回',
  '{count} mistake': '誤り {count} 回',
  '{count} mistakes': '誤り {count} 回',
  '{count} drop': '破棄 {count} 回',
  '{count} drops': '破棄 {count} 回',
  '{count} duplicate': '重複 {count} 回',
  '{count} duplicates': '重複 {count} 回',
  '{count} cut': '切断 {count} 回',
  '{count} cuts': '切断 {count} 回',
  '{count} resignation': '辞任 {count} 回',
  '{count} resignations': '辞任 {count} 回',
  '{count} tick': 'ティック {count} 回',
  '{count} ticks': 'ティック {count} 回',
  'voters {list}': '投票者 {list}',
  'observers {list}': 'オブザーバー {list}',
  'witnesses {list}': '証人 {list}',
  'changes to version {version}': 'バージョン {version} までの変更',
  clocks: '時計',
  amnesia: '記憶喪失',
  'from settled': '合意した状態から',
  asynchronous: '非同期',
  'any order': '任意の順序',
  'terms at most {count} apart': '任期の差は最大 {count}',
}
