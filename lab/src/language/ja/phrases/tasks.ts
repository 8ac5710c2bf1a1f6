/** Maps English names of faults and marks, remarks on counterexamples, and what a challenge says about a run, to Japanese. */
import type { Phrases } from '../../translate.ts'

export const TASKS: Phrases = {
  'The run breaks no such promise.': 'この実行はその約束を破りません。',
  'No member ever leads.': 'どのメンバーもリーダーになりません。',
  'There is never more than one leader.': 'リーダーが2つ以上になる時点はありません。',
  'Members {list} lead at the same moment.': 'メンバー {list} が同じ時点でリーダーです。',
  'The longest time without a leader, with {up} members up, is {time}.':
    'メンバー {up} が動いていてリーダーのない最長の時間は {time} です。',
  'The end is undecided: {why}.': '終わりを判定できません：{why}。',
  'In the end the members do not agree.': '最後にメンバーは合意していません。',
  'In the end all follow {leader}.': '最後に全員が {leader} に従います。',
  'The run needs {count} election messages.': 'この実行には選挙のメッセージが {count} 必要です。',
  'The highest term is {term}.': '最大の任期は {term} です。',
  'Leaders: {list}.': 'リーダー：{list}。',
  'This challenge allows no {fault}.': 'この課題では {fault} を使えません。',
  'This challenge allows {most} × {fault}; the run has {count}.':
    'この課題で使える {fault} は {most} 回ですが、実行には {count} 回あります。',
  'This challenge has {key} {value}; the run has another.':
    'この課題の {key} は {value} ですが、実行では異なります。',
  'as usual': '既定',
  '{remark}. The checker found no shorter counterexample. Step back to see the cause.':
    '{remark}。チェッカーはこれより短い反例を見つけていません。原因を見るには戻ってください。',
  'Agreement breaks here: any two up members that follow a leader follow the same one':
    'ここで合意が破られます：リーダーに従う、動いている2つのメンバーは同じリーダーに従う',
  'Broken: when faults cease, all up members follow one of them, for ever; nothing more happens':
    '破られた：障害がやむと、動いている全メンバーがその1つに永久に従う。これ以上何も起こりません',
  'Broken: when faults cease, all up members follow the strongest of them, for ever; nothing more happens':
    '破られた：障害がやむと、動いている全メンバーが最も強いものに永久に従う。これ以上何も起こりません',
  crash: 'クラッシュ',
  recover: '復旧',
  pause: '一時停止',
  resign: '辞任',
  heal: '修復',
  slow: '減速',
  delay: '遅延',
  discard: '破棄',
  repeat: '複製',
  drop: '破棄',
  agreement: '合意',
  'highest leads': '最も強いメンバーがリーダー',
  leads: 'リーダーになる',
  recovers: '復旧',
  'loses its state': '状態を失う',
  pauses: '一時停止',
  resumes: '再開',
  resigns: '辞任',
  'is to be added': '追加の要求',
  'is to be promoted': '昇格の要求',
  'is to be removed': '削除の要求',
  'cannot write': '書き込めない',
  leaves: '去る',
  'is no longer slow': '通常の速度',
  'cuts heal': 'すべて修復',
  starts: '開始',
}
