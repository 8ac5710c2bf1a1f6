/** Japanese sentences with values, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const SENTENCES: Phrases = {
  'Lab: {name}': '実験：{name}',
  '{name} · {count} {count:member/members} ▾': '{name} · メンバー {count} ▾',
  'This run has {count} members. The page may take minutes, and shows the beginning only.':
    'この実行には {count} のメンバーがいます。数分かかることがあり、最初の部分だけを表示します。',
  'This trace was made by another version. Line {line} reads “{read}”, but the run gives “{computed}”.':
    'このトレースは別のバージョンで作られました。{line} 行目は「{read}」ですが、実行の結果は「{computed}」です。',
  'There is no preset {name}.': 'プリセット {name} はありません。',
  'There is no algorithm {name} to compare with.': '比較するアルゴリズム {name} はありません。',
  'There is no challenge {name}.': '課題 {name} はありません。',
  'The link was made by bellwether {version}; this page is {own}, and may run it differently.':
    'このリンクは bellwether {version} で作られました。このページは {own} なので、実行が異なることがあります。',
  'member {name} leads in term {term}': 'メンバー {name} が任期 {term} でリーダーです',
  '1 of {every} messages is drawn': 'メッセージ {every} 件に1件を描いています',
  '{name} is broken': '{name} が破られた',
  'no agreed leader, {time}': '合意したリーダーなし、{time}',
  'Space-time diagram of {name} until {time}: {sent} messages sent.':
    '{name} の時空図、{time} まで：送信されたメッセージ {sent} 件。',
  'step {step}': 'ステップ {step}',
  '{time}, step {step} of {total}': '{time}、{total} ステップ中 {step}',
  'of {total}': '/ {total}',
  'detector: {name}': '検出器：{name}',
  'follows {name}': '{name} に従う',
  'Member {name}': 'メンバー {name}',
  'Member {name}, the leader': 'メンバー {name}（リーダー）',
  '{name} resigns in favour of {peer}': '{name} が {peer} を後任として辞任',
  'member {name} crashes': 'メンバー {name} がクラッシュします',
  'member {name} recovers': 'メンバー {name} が復旧します',
  'member {name} pauses': 'メンバー {name} が一時停止します',
  'member {name} resumes': 'メンバー {name} が再開します',
  'member {name} is slow': 'メンバー {name} が遅くなります',
  'member {name} runs at full speed': 'メンバー {name} が通常の速度に戻ります',
  'member {name} is isolated': 'メンバー {name} が隔離されます',
  'member {name} resigns': 'メンバー {name} が辞任します',
  'member {name} resigns in favour of {peer}': 'メンバー {name} が {peer} を後任として辞任します',
  'Cut {from} → {to}': '{from} → {to} を切断',
  'Drop next {from} → {to}': '{from} → {to} の次のメッセージを破棄',
  'Link {from} – {to}': 'リンク {from} – {to}',
  'the link between {from} and {to} is cut': '{from} と {to} の間のリンクが切断されます',
  'the link from {from} to {to} is cut': '{from} から {to} へのリンクが切断されます',
  'the link from {from} to {to} is healed': '{from} から {to} へのリンクが修復されます',
  'the next message from {from} to {to} will be lost':
    '{from} から {to} への次のメッセージが失われます',
  '{target}: no longer in flight': '{target}：すでに送信中ではない',
  '{target} is lost': '{target} が失われます',
  '{target} is delayed': '{target} が遅れます',
  '{target} will arrive twice': '{target} が二度届きます',
  'Remove {name}': '{name} を削除',
  'Links of member {name}. Each direction can be cut on its own.':
    'メンバー {name} のリンク。方向ごとに切断できます。',
  'Cut the link from {from} to {to}': '{from} から {to} へのリンクを切断',
  'Heal the link from {from} to {to}': '{from} から {to} へのリンクを修復',
  '{count} in flight, in order of arrival.': '送信中 {count} 件、到着順。',
  '{count} {count:member is/members are} up and {count:follows/follow} no leader':
    '動いているメンバー {count}、リーダーに従っていない',
  '{count} {count:member is/members are} up and {count:follows/follow} member {leader}':
    '動いているメンバー {count}、メンバー {leader} に従う',
  '{count} {count:member is/members are} up and follow {leaders} different leaders':
    '動いているメンバー {count}、{leaders} つの異なるリーダーに従う',
  'show step': 'ステップを表示',
  'undecided, {detail}': '判定できない、{detail}',
  'the run is cut at {time}, while the election goes on':
    '選挙の途中、実行が {time} で打ち切られる',
  'the page shows the first {steps} steps': 'ページは最初の {steps} ステップを表示する',
  'State of member {name}': 'メンバー {name} の状態',
  'States of {name}': '{name} の状態',
  'Statechart. {detail}': '状態遷移図。{detail}',
  'election {count} of incarnation {incarnation}': '起動 {incarnation} 回目の選挙 {count}',
  'term {term} of {name}': '{name} の任期 {term}',
  '{name} does not support {faults} and runs without it.':
    '{name} は {faults} に対応していないため、それなしで実行します。',
  'left: {list}': '残り：{list}',
  'Next: {name}': '次：{name}',
  'Hint {place} of {total}': 'ヒント {place}/{total}',
  '{done} of {total} solved': '{total} 問中 {done} 問を解決',
  'With {flag} the command prints it.': '{flag} を付けるとコマンドがこのハッシュを表示します。',
  '{states} states, depth {depth}, frontier {frontier}, {mib} MiB, {seconds} s':
    '状態 {states}、深さ {depth}、境界 {frontier}、{mib} MiB、{seconds} 秒',
  '{states} states, {transitions} transitions, depth {depth}, {seconds} s':
    '状態 {states}、遷移 {transitions}、深さ {depth}、{seconds} 秒',
  ', {rate} states/s': '、毎秒 {rate} 状態',
  '{count} times': '{count} 回',
  'is broken after {steps} steps': '：{steps} ステップ後に破られます',
  '; then {steps} steps repeat for ever': '。その後 {steps} ステップが永久に繰り返されます',
  'Step {step}': 'ステップ {step}',
  'a shortest way has {steps} steps': '最短の道は {steps} ステップ',
  '{count} states, which are all.': '状態 {count}、これですべてです。',
  '{count} states found.': '状態 {count} を見つけました。',
  '{count} states found, {broken} of them break a promise. The walk is at state {here}.':
    '見つけた状態 {count}、うち {broken} が約束を破ります。現在は状態 {here} です。',
  'state {state}, {steps} steps from the start': '状態 {state}、開始から {steps} ステップ',
  '{sentence}, and crashes before it sends': '{sentence}、そして送る前にクラッシュ',
  'Member {name} crashes': 'メンバー {name} がクラッシュ',
  'Member {name} recovers': 'メンバー {name} が復旧',
  'Member {name} recovers and has lost its stored state':
    'メンバー {name} が保存された状態を失って復旧',
  'Member {name} learns for certain that member {peer} has ended':
    'メンバー {name} が、メンバー {peer} の終了を確実に知る',
  'Links are cut: {list}': 'リンクの切断：{list}',
  'Member {name} resigns in favour of member {peer}':
    'メンバー {name} がメンバー {peer} を後任として辞任',
  'Member {name}, which leads, is asked to change the configuration: {change}':
    'リーダーのメンバー {name} に構成の変更を求める：{change}',
  'Member {name} starts': 'メンバー {name} が始まる',
  'Member {name} has followed its leader for a long time':
    'メンバー {name} は以前からリーダーに従っている',
  'Member {name} receives “{event}” from member {peer}':
    'メンバー {name} がメンバー {peer} から “{event}” を受け取る',
  'The message “{event}” from member {peer} to member {name} will arrive twice':
    'メンバー {peer} からメンバー {name} へのメッセージ “{event}” は二度届く',
  'The message “{event}” from member {peer} to member {name} is lost':
    'メンバー {peer} からメンバー {name} へのメッセージ “{event}” が失われる',
  'Member {name} has waited long enough: its timer “{event}” expires':
    'メンバー {name} は十分に待ち、タイマー “{event}” が切れる',
  'The failure detector of member {name} reports that member {peer} is up':
    'メンバー {name} の障害検出器が、メンバー {peer} は動いていると報告する',
  'The failure detector of member {name} reports that member {peer} is down':
    'メンバー {name} の障害検出器が、メンバー {peer} はダウンしていると報告する',
  'Member {name} draws a number': 'メンバー {name} が数を引く',
  'Member {name} resigns': 'メンバー {name} が辞任する',
  'Member {name} {caption}': 'メンバー {name}：{caption}',
  'The link from {from} to {to} is cut': '{from} から {to} へのリンクが切断される',
  'The link from {from} to {to} is healed': '{from} から {to} へのリンクが修復される',
  'Member {name} {effects}': 'メンバー {name}：{effects}',
  'It {effects}': 'このメンバーは、{effects}',
  '{first} and {last}': '{first}、{last}',
  'no longer leads': 'リーダーではなくなる',
  'no longer follows a leader': 'リーダーに従うのをやめる',
  'becomes the leader': 'リーダーになる',
  'follows member {name}': 'メンバー {name} に従う',
  'sends “{type}” to {count} members': 'メンバー {count} に “{type}” を送る',
  'sends “{type}” to member {names}': 'メンバー {names} に “{type}” を送る',
  'sends “{type}” to members {names} and {last}': 'メンバー {names}、{last} に “{type}” を送る',
  '{right} of {asked} right.': '{asked} 問中 {right} 問正解。',
  'Source: {source}': '出典：{source}',
  '{leader} leads, term {term}.': '{leader} がリーダー、任期 {term}。',
  '{leader} leads, term {term}, after {time} without a leader.':
    '{time} のリーダー不在の後、{leader} がリーダー、任期 {term}。',
  '{count} members': 'メンバー {count}',
  'read-only: faults need the token in the address that {command} printed':
    '読み取り専用：障害の注入には、{command} が表示したアドレスのトークンが必要です',
  'for {time}': '{time} の間',
  '{agree} of {up} running': '実行中の {up} のうち {agree}',
  'To watch a group that already runs, read-only, by the addresses of its members’ {flag}:':
    'すでに動いているグループを、メンバーの {flag} のアドレスから読み取り専用で見るには：',
  'was elected, term {term}': '当選、任期 {term}',
  'lost its term: {reason}': '任期を失った：{reason}',
  'follows {leader}, term {term}': '{leader} に従う、任期 {term}',
  'exited: {reason}': '終了した：{reason}',
  'failed: {reason}': '失敗：{reason}',
  'reports {peer} as up': '{peer} は動いていると報告',
  'reports {peer} as down': '{peer} はダウンしていると報告',
  '{leader} was paused': '{leader} が一時停止した',
  '{leader} exited ({detail})': '{leader} が終了した（{detail}）',
  '{leader} lost its term': '{leader} が任期を失った',
  '{leader} leads, term {term}': '{leader} がリーダー、任期 {term}',
  'at {time}': '{time}',
  '{time} ago': '{time} 前',
  '{time} ago. The whole page shows that moment.': '{time} 前。ページ全体がその時点を示します。',
  'Cut the link between {from} and {to}': '{from} と {to} の間のリンクを切断',
  'The next message from {from} to {to} is lost': '{from} から {to} への次のメッセージが失われる',
  'The message from {from} to {to} is lost': '{from} から {to} へのメッセージが失われる',
  'The message from {from} to {to} is {ms} ms late':
    '{from} から {to} へのメッセージが {ms} ms 遅れる',
  'The message from {from} to {to} will arrive twice': '{from} から {to} へのメッセージは二度届く',
  'leads, term {term}': 'リーダー、任期 {term}',
  'resigns for {name}': '辞任、後任 {name}',
  'cut {link}': '切断 {link}',
  'heal {link}': '修復 {link}',
  '{name} is up': '{name} は動いている',
  '{name} is down': '{name} はダウン',
  'draws {number}': '数 {number}',
  '{timer} time-out': '{timer} タイムアウト',
  '“{part}” is not an address such as a=127.0.0.1:7401':
    '「{part}」は a=127.0.0.1:7401 のようなアドレスではありません',
}
