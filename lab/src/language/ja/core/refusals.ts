/** Japanese sentences about settings that are refused, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const REFUSALS: Phrases = {
  '--{key} {given}: {problem}': '{key} {given}：{problem}',
  'must be a whole number from {min} to {max}': '{min} から {max} までの整数でなければなりません',
  'must be a probability from 0 up to but not 1, such as 0.05 or 5%':
    '0 以上 1 未満の確率でなければなりません（例：0.05、5%）',
  'must be a duration with its unit us, ms or s, such as 20ms':
    '単位 us、ms、s の付いた時間でなければなりません（例：20ms）',
  'must be quiet or a duration such as 2s': 'quiet か、2s のような時間でなければなりません',
  'must be a duration or a range, such as 20ms or 10ms..30ms':
    '時間か範囲でなければなりません（例：20ms、10ms..30ms）',
  'must be 3ms, 1ms..5ms, exponential:1ms+3ms (least + mean) or lognormal:3ms,0.5 (median, sigma)':
    '3ms、1ms..5ms、exponential:1ms+3ms（最小＋平均）、lognormal:3ms,0.5（中央値、シグマ）のどれかでなければなりません',
  '{name} must be one of {choices}': '{name} は次のどれかでなければなりません：{choices}',
  '{name} must be a number from {min} to {max}':
    '{name} は {min} から {max} までの数でなければなりません',
  '{algorithm} has no option {name}; it has {names}':
    '{algorithm} にオプション {name} はありません。あるもの：{names}',
  '{name} is given twice': '{name} が二度与えられています',
  'is given twice; it can be given once': '二度与えられています。一度しか与えられません',
  'names a member twice': '一つのメンバーを二度指定しています',
  'must name each of the {count} members once':
    '{count} 個のメンバーを一度ずつ指定しなければなりません',
  '{algorithm} does not run on a ring': '{algorithm} はリングでは動きません',
  'in {algorithm} all members vote, and any may lead':
    '{algorithm} ではすべてのメンバーが投票し、どのメンバーもリーダーになれます',
  '{name} is a voter': '{name} は投票者です',
  'would be a majority, of which none may lead': '誰もリーダーになれない過半数になります',
  '{name} is not named in --down': '{name} は --down で指定されていません',
  '{name} is down from the beginning': '{name} は最初から停止しています',
  'is about detectors that hear messages, and perfect hears none':
    'メッセージを聞く検出器についての設定ですが、perfect は何も聞きません',
  'there is no member {name}; members are 1 to {count}':
    'メンバー {name} はありません。メンバーは 1 から {count} までです',
  'there is no such setting; there are {list}': 'そのような設定はありません。あるもの：{list}',
  'there is no such {kind} (did you mean {name}?); there are {list}':
    '{kind} にそのようなものはありません。{name} のことですか？あるもの：{list}',
  'there is no such {kind}; there are {list}':
    '{kind} にそのようなものはありません。あるもの：{list}',
  'the checker takes 1 to 7': '検査器が受け付けるのは 1 から 7 までです',
  '{algorithm} does not support resigning': '{algorithm} は辞任に対応していません',
  'the members of a group of {algorithm} cannot change':
    '{algorithm} のグループのメンバーは変えられません',
  '{algorithm} has no leases': '{algorithm} にはリースがありません',
  'must be A|B@TIME for both directions or A>B@TIME for one, such as {example}':
    '両方向は A|B@TIME、片方向は A>B@TIME の形でなければなりません（例：{example}）',
  'must be @TIME, such as @2s, or for some links A|B@TIME or A>B@TIME':
    '@2s のような @TIME、一部のリンクなら A|B@TIME か A>B@TIME の形でなければなりません',
  'must be {form}, such as {example}: {meaning}':
    '{form} の形でなければなりません（例：{example}）',
  'must be {form}, such as {example}': '{form} の形でなければなりません（例：{example}）',
  'the period ({period} ms) must exceed the time in which the detector {detector} answers ({answer} ms): a request repeated sooner would supersede the one before it for ever. Give a longer period, or a network with a smaller bound.':
    '周期（{period} ms）は、検出器 {detector} が答える時間（{answer} ms）より長くなければなりません。それより早く繰り返す問い合わせは、前のものをいつまでも置き換えます。周期を長くするか、上限の小さいネットワークにしてください。',
  'a source falls': '源が下がります',
  'a start does not advance a stable source': '開始が永続する源を進めません',
  'an id is made and no source advances': '識別子が作られたのに、どの源も進みません',
  'an id does not depend on {name}': '識別子が {name} に依存しません',
  'must be {choices}': '次でなければなりません：{choices}',
  '{first} or {rest}': '{first} または {rest}',
  'a leader cannot be its own successor': 'リーダーは自分の後任になれません',
  'a member gets proof about its peers only': 'メンバーが証拠を得るのは相手についてだけです',
  'step {step} of the walk is not possible': '経路のステップ {step} は不可能です',
  'a leader cannot resign: {problem}': 'リーダーは辞任できません。{problem}',
}
