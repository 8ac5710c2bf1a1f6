/** Japanese explanations of the fields of algorithms, by the comments of their schemas. */
import type { Phrases } from '../../translate.ts'

export const FIELDS: Phrases = {
  'answered the leader `bondedTo` lately; NONE: before a restart, an unknown leader':
    '最近リーダー `bondedTo` に答えた。NONE：再起動前の不明なリーダー',
  'of that leader or candidate; 0: unknown': 'そのリーダーか候補のもの。0：不明',
  'which of the two timers runs from the round that is out':
    '二つのタイマーのうち、送ってあるラウンドから動くもの',
  'a majority answered that round': '過半数がそのラウンドに答えた',
  'of the latest answer, while a lease that the member inherits could run from it':
    '最後の返答のもの。メンバーが引き継ぐリースがそこから数えられうる間',
  'leader: the strongest member that answered the round that is out,':
    'リーダー：送ってあるラウンドに答えた最も強いメンバー、',
  'and the mark of that answer,': 'その返答の印、',
  'and the incarnation that gave it': '答えた起動回',
  'the bond that the round that is out asks for; 0: that of the first configuration':
    '送ってあるラウンドが求める拘束。0：最初の構成のもの',
  "a bond that was longer than the present timing's, and may not be over":
    '今の時間設定より長く、まだ終わっていないかもしれない拘束',
  'may vote': '投票できる',
  'not admitted: has outwaited every lease': '未承認：どのリースよりも長く待った',
  'the round of Who? that is out': '送ってある Who? のラウンド',
  'members without state that answered it': 'それに答えた、状態のないメンバー',
  'admitted members that answered it': 'それに答えた、承認済みのメンバー',
  'a member said that the group no longer has its first configuration':
    'グループはもう最初の構成ではないと、あるメンバーが告げた',
  'members whose Who? this member answered without state':
    'このメンバーが状態なしで Who? に答えた相手',
  "no vote for a smaller one follows; in Norm the leader's":
    'これより小さいものにはもう投票しない。Norm ではリーダーのもの',
  "the largest with this member's vote: `term`, or in Wait one that may lapse":
    'このメンバーが投票した最大の任期：`term`、Wait では失効しうるもの',
  'the largest known to have any vote: candidates exceed it':
    '票があると知られる最大の任期：候補はこれを超える',
  'the member that is watched: the leader, or the candidate whose Ldr is awaited':
    '監視しているメンバー：リーダー、または Ldr を待っている候補',
  'superiors reported down': '停止と報告された上位メンバー',
  'superiors that backed off or resigned: their turn is over':
    '退いたか辞任した上位メンバー：順番は終わった',
  'this member is one of those': 'このメンバーはその一つ',
  'of this candidacy, or of this round of Norm?': 'この立候補の、または Norm? のこのラウンドのもの',
  'whose Halt waits until the member is free to vote, with its term and round':
    'メンバーが投票できるまで Halt が待つ候補、その任期とラウンド',
  'and the incarnation that sent it': '送った起動回',
  'the round that is out; in Wait, the one that was answered':
    '送ってあるラウンド。Wait では答えたラウンド',
  'the last round that asked for votes': '票を求めた最後のラウンド',
  'in Elec2: asked for no votes, because a leader resigned in favour of this member':
    'Elec2 で：リーダーがこのメンバーを後任に辞任したので、票を求めなかった',
  'this one; a proof of death names incarnations': '今の起動回。停止の証拠は起動回を指す',
  'in an earlier incarnation, which may have answered a leader':
    'リーダーに答えたかもしれない以前の起動回で',
  'the sender voted for this term, which is larger': '送り手は、より大きいこの任期に投票した',
  'of the handover to this member': 'このメンバーへの引き継ぎのもの',
  'the end of Elec1 and Wait': 'Elec1 と Wait の終わり',
  'of elid: the member that holds the election': 'elid の一部：選挙を行うメンバー',
  'the rest of elid': 'elid の残り',
  'superiors reported down in this stage': 'この段階で停止と報告された上位メンバー',
  'halted juniors': '止めた下位メンバー',
  "whose Halt waits for the detector's answer about `head`, and its mark":
    '`head` についての検出器の返答を Halt が待つ候補、その印',
  "the largest of the member's term and those in the Acks":
    'メンバーの任期と Ack にある任期のうち最大のもの',
  "the sender's configuration, by its stamp": '送り手の構成、スタンプで示す',
  'and with its content': 'その内容も',
  'Elec: asked the superiors; WaitC: one of them answered':
    'Elec：上位メンバーに問うた。WaitC：その一つが答えた',
  'claims to lead while a request about the stronger leader is open; else NONE':
    'より強いリーダーへの問い合わせ中に、リーダーだと主張するメンバー。それ以外は NONE',
  "one more than the claim's": '主張にあるものより一つ大きい',
  'the same claim, repeated': '同じ主張の繰り返し',
  "the sender's term, above that of the claim": '主張の任期より大きい、送り手の任期',
  "Elec: 004's participant": 'Elec：004 の参加者',
  'the round': 'ラウンド',
  'the largest number sent on in this round; NONE: not a participant':
    'このラウンドで送った最大の番号。NONE：参加者でない',
  "the leader's own ELECTED has returned": 'リーダー自身の ELECTED が戻った',
  'the member to send to, which is watched; NONE before the first message':
    '送り先で、監視しているメンバー。最初のメッセージの前は NONE',
  'reported down in this round': 'このラウンドで停止と報告された',
  'c: the leader, or in Reorganization the next one':
    'c：リーダー、Reorganization では次のリーダー',
  'h: the member that sent the last Halt': 'h：最後の Halt を送ったメンバー',
  'the member whose AreYouNormal is out': 'AreYouNormal を送ってあるメンバー',
  "the largest of the member's term and those in the answers to Halt":
    'メンバーの任期と Halt への返答にある任期のうち最大のもの',
  'to each of the four': '四つそれぞれに',
  'for a stronger member, or the one that sent Halt':
    'より強いメンバー、または Halt を送ったメンバーについて',
  'of the coordinator': 'コーディネーターのもの',
  'the four modes of 003 §2.2': '003 §2.2 の四つの状態',
  "the candidate that got the member's vote in this term": 'この任期にメンバーの票を得た候補',
  'in an earlier incarnation, which may have taken part': '参加したかもしれない以前の起動回で',
  'there is no leader, and the member draws numbers, unless it is bonded':
    'リーダーがなく、拘束されていないメンバーは番号を引く',
  'the greatest number that the member ever drew; 0: none': 'メンバーが引いた最大の番号。0：なし',
  'how many of the latest draws in a row were above the threshold':
    '最近続けてしきい値を超えた抽選の回数',
  'the members that voted for this candidate in this term,':
    'この任期にこの候補へ投票したメンバー、',
  'and the greatest number of each': 'それぞれの最大の番号',
  "the members that answered the proposal, or the leader's heartbeat":
    '提案、またはリーダーのハートビートに答えたメンバー',
  'the wheel has chosen in this term': 'この任期にルーレットが選んだ',
  'c, in Norm': 'Norm での c',
  'g, the number of the group': 'g、グループの番号',
  'of a coordinator: the other members of its group':
    'コーディネーターのもの：グループの他のメンバー',
  'the answers to Are-you-coordinator are still to come':
    'Are-you-coordinator への返答がまだ来ていない',
  'the coordinators among those answers': 'その返答のうちのコーディネーター',
  'the largest number of their groups': 'それらのグループの最大の番号',
  'to Are-you-coordinator': 'Are-you-coordinator に対して',
  'the answer to Are-you-there': 'Are-you-there への返答',
  'to the invitations': '招待に対して',
  'before a weaker coordinator invites a stronger one':
    '弱いコーディネーターが強いものを招待する前',
  'Elec: it trusts nobody yet': 'Elec：まだ誰も信頼していない',
  'superiors of which the detector has not spoken since the start':
    '開始から検出器が何も言っていない上位メンバー',
  'superiors that it last reported down': '最後に停止と報告された上位メンバー',
  "the sender's term, above that of the leader": 'リーダーの任期より大きい、送り手の任期',
  'votedFor, in this term': 'この任期の votedFor',
  'of this term, or for a pre-vote': 'この任期のもの、または予備投票のもの',
  'RequestVote of the term that would follow': '次の任期の RequestVote',
  "the voter's term; of a granted pre-vote, the one asked about":
    '投票者の任期。認められた予備投票では問われた任期',
  'AppendEntries without entries': 'エントリーのない AppendEntries',
  "AppendEntries is refused: the leader's term is over":
    'AppendEntries を拒否：リーダーの任期は終わった',
  'Idle: waits for a COORDINATOR': 'Idle：COORDINATOR を待つ',
  "the member's own ELECTION is under way": 'メンバー自身の ELECTION が進行中',
  'found down while an ELECTION was passed on': 'ELECTION を渡すときに停止と分かった',
  'outside "the new ring": found down after its COORDINATOR was known':
    '「新しいリング」の外：COORDINATOR が知られた後に停止と分かった',
  'weaker than the leader, about which a request is open; else NONE':
    '問い合わせ中のリーダーより弱いメンバー。それ以外は NONE',
  'the message that was passed on last, to repeat it':
    '再送のために取っておく、最後に渡したメッセージ',
  "one more than the message's": 'メッセージのものより一つ大きい',
  'term: the largest collected': '任期：集めた中で最大のもの',
  'Lost: a stronger candidate exists': 'Lost：より強い候補がある',
  'there is one election only': '選挙は一度だけ',
  'one side has replied in this phase': 'このフェーズで片側が返答した',
  'what this member drew in its phase': 'このメンバーが自分のフェーズで引いたもの',
  "of the numbers that have arrived, and the member's own": '届いた番号と自分の番号のうち',
  'the number that an active member holds in this phase, its own in the first':
    '活動中のメンバーがこのフェーズで持つ番号。最初は自分のもの',
  'the number of the nearest active member before it; NONE: not arrived yet':
    '直前の活動中のメンバーの番号。NONE：まだ届いていない',
  'of an active member': '活動中のメンバーのもの',
  'the place of the last message in the order of phases': 'フェーズの順での最後のメッセージの位置',
  'the larger of tid and ntid': 'tid と ntid の大きい方',
  'in this term: a copy of the announcement begins no second leadership':
    'この任期に：通知の写しが二度目のリーダーを始めることはない',
  'of heartbeats': 'ハートビートのもの',
  'the sender no longer leads in this term': '送り手はこの任期でもうリーダーではない',
  'WaitC: a superior answered': 'WaitC：上位メンバーが答えた',
  'with highest=up: the members that the detector reported down':
    'highest=up のとき：検出器が停止と報告したメンバー',
  'ldr, which 001 calls valid in Norm only': 'ldr。001 によれば Norm でのみ有効',
  'of elid': 'elid の一部',
  '⟨incarn, nextel⟩, the same for all elections of an incarnation':
    '⟨incarn, nextel⟩。一つの起動回のすべての選挙で同じ',
  'neighbours over which a repaired ring has closed': '修復したリングが飛び越えて閉じた隣',
  '"who the members of the new ring are"': '「新しいリングのメンバーが誰か」',
  'while the request about its receiver is open': '受け手についての問い合わせの間',
  'successors found down as this message was sent': 'このメッセージを送るときに停止と分かった後続',
  'the candidate that got the last vote of this round,': 'このラウンドの最後の票を得た候補、',
  'the members that voted for this candidate,': 'この候補に投票したメンバー、',
  'the members that answered the proposal': '提案に答えたメンバー',
  'and for which number': 'どの番号についてか',
  '"Every node knows anytime how many nodes are up"':
    '「どのノードも、いくつのノードが稼働中かをいつも知っている」',
  'r, the round': 'r、ラウンド',
  'in an earlier incarnation': '以前の起動回で',
}
