/** Japanese texts of the page on which the viewer writes an algorithm. */
import type { write as english } from '../en/write.ts'

export const write: Readonly<Record<keyof typeof english, string>> = {
  'page.write': '書く',
  'write.title': '自分のアルゴリズムを書く',
  'write.editor': '自分のアルゴリズム（TypeScript）',
  'write.code': 'コード',
  'write.run': '実行',
  'write.check': '検査',
  'write.contract': '契約',
  'write.results': '自分のアルゴリズムの表示',
  'write.start': '出発点…',
  'write.break': 'この行を壊す',
  'write.shipped': '付属のアルゴリズム',
  'write.open': '開く',
  'write.file': 'アルゴリズムのファイル',
  'write.download': 'ダウンロード',
  'write.share': 'リンクをコピー',
  'write.copied': 'リンクをコピーしました。コードと実行の設定が入っています。',
  'write.inAddress': 'このページのアドレスが、コードと実行の設定を含むリンクになりました。',
  'write.damaged': 'リンクのコードを読めません。リンクが壊れています。',
  'write.runAgain': 'もう一度実行',
  'write.nodes': 'メンバー数',
  'write.seed': 'シード',
  'write.crashes': 'クラッシュ',
  'write.recoveries': '復旧',
  'write.drops': '失われるメッセージ',
  'write.budget': '最大の回数',
  'write.line': '{line}行目',
  'write.loading': 'コードを読み込んでいます…',
  'write.fine': '`{name}` は契約を守っています。入力するたびに実行されます。',
  'write.fromLink':
    'このコードはリンクで届きました。実行を押すと、ネットワークのないサンドボックスで動きます。',
  'write.exercise': 'この行が壊れています。{title}：何が起こるかを予想してから検査してください。',
  'write.checkLead':
    'チェッカーは、この障害の予算で起こりうるすべての順序をたどり、状態ごとに判定します。',
  'write.checking': 'これまでに {states} 状態',
  'write.showRun': '約束を破る実行を見る',
  'write.contractLead':
    'アルゴリズムが宣言することと、ハンドラーにできることです。エディターでは入力中に名前が補完され、名前にポインターを重ねると説明が出ます。',
  'write.break.weakerClaim': 'Bully：弱いメンバーの主張にすぐ従う',
  'write.break.weakerClaim.why':
    '弱いメンバーの主張は、強いメンバーが復旧する前に送られたものかもしれません。元の行は、まず今のリーダーについて検出器に尋ねます。',
  'write.break.oldTerm': 'Bully：古い任期に従う',
  'write.break.oldTerm.why':
    '比較がなければ、遅れて届いた主張がメンバーを小さい任期に戻します。任期でフェンシングする側は、正しいリーダーを拒むことになります。',
  'write.break.secondTimeout': 'Bully：2つ目のタイムアウトがない',
  'write.break.secondTimeout.why':
    '応答を受けたメンバーはコーディネーターを待ちます。そのメッセージが失われるか送り手がクラッシュすると、再び尋ねさせるのは2つ目のタイムアウトだけです。',
  'write.break.oneAckTooFew': 'Bully_FD：ack が1つ足りない',
  'write.break.oneAckTooFew.why':
    '下位メンバーの1つが停止も故障報告もされていないのに、候補者がリーダーになります。そのメンバーはその時、別のリーダーに従っているかもしれません。',
  'write.break.noRecheck': 'Bully_FD：上位メンバーを最後に尋ね直さない',
  'write.break.noRecheck.why':
    '下位メンバーが止まっている間に、上位メンバーが復旧することがあります。尋ね直さない候補者は、その横でリーダーになります。',
  'write.break.twoVotes': 'Raft：1つの任期に2回投票する',
  'write.break.twoVotes.why':
    '2つの過半数は必ず1つのメンバーを共有します。任期ごとに1票だけだから、2つの候補者が同じ任期で当選しません。',
  'write.break.noWatch': 'Ring：フォロワーがリーダーを監視しない',
  'write.break.noWatch.why':
    '誰も気づかないクラッシュは選挙を始めません。メンバーは停止したリーダーにいつまでも従います。',
  'write.problem.syntax': 'TypeScript の文法ではありません：{sentence}',
  'write.problem.import':
    'ここにモジュール「{specifier}」はありません。プログラムは core と付属のアルゴリズムのファイルを取り込めます。',
  'write.problem.noAlgorithm':
    'プログラムがアルゴリズムを公開していません。`export const NAME = algorithm(…)` と書いてください。',
  'write.problem.name': '名前「{name}」は、小文字、数字、ハイフンだけで書いてください。',
  'write.problem.field':
    '状態にフィールド `{name}` がありません。どの状態も {kind} として宣言します。',
  'write.problem.fieldKind': 'フィールド `{name}` は {kind} でなければなりません。',
  'write.problem.timerKind':
    'タイマー `{name}` は `period` か `answer(order)` でなければなりません。',
  'write.problem.promise': '約束 `{name}` は次のどれかでなければなりません：{values}。',
  'write.problem.assumption': '仮定 `{name}` は true か false でなければなりません。',
  'write.problem.purpose': '用途に書かれた `{name}` はメッセージではありません。',
  'write.problem.handlersFunction': '`handlers` はグループを受け取る関数でなければなりません。',
  'write.problem.handlerMissing': 'ハンドラー `{name}` がありません。',
  'write.problem.handlerUnknown': 'ハンドラー `{name}` はありません。{closest} のことですか？',
  'write.problem.timeoutMissing': 'タイマーはありますが、ハンドラー `timeout` がありません。',
  'write.problem.messageUnknown': 'メッセージ `{name}` はありません。宣言されているもの：{names}。',
  'write.problem.messageField': 'メッセージ `{type}` のフィールドが違うか足りません：`{name}`。',
  'write.problem.timerUnknown': 'タイマー `{name}` はありません。宣言されているもの：{names}。',
  'write.problem.drawUnknown': '抽選 `{name}` はありません。`draws` に書いてください。',
  'write.problem.member':
    '{value} はメンバーではありません。メンバーは 1 から {members} までです。',
  'write.problem.duration': 'タイマー `{name}` を {value} ms に設定できません。',
  'write.problem.fieldUnknown': '状態にフィールド `{name}` がありません。',
  'write.problem.value': 'フィールド `{name}` の値に {value} は使えません。',
  'write.problem.thrown': 'コードが例外を投げました：{sentence}',
  'write.problem.silent':
    'コードが {seconds} 秒間戻らなかったため、停止しました。終わりのないループがありますか？',
  'write.problem.broken': '{step} 番目のステップが約束を破ります：{sentence}',
}
