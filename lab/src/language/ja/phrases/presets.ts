/** Maps the English titles and hints of the presets to Japanese. */
import type { Phrases } from '../../translate.ts'

export const PRESETS: Phrases = {
  'The leader crashes and recovers': 'リーダーがクラッシュし、復旧する',
  'Bully_FD: the strongest member halts the others, collects their acks and leads. It crashes, and the next strongest takes over. It recovers and takes the leadership back.':
    'Bully_FD：最も強いメンバーがほかを止め、ack を集めてリーダーになります。クラッシュすると、次に強いメンバーが引き継ぎます。復旧すると、リーダーの座を取り戻します。',
  'Bully: the weakest member starts the election': 'Bully：最も弱いメンバーが選挙を始める',
  'Only member 1 notices that the leader is down. It asks all its superiors, and each of them asks its own superiors: the number of messages is quadratic.':
    'リーダーのダウンに気づくのはメンバー 1 だけです。1 はすべての上位メンバーに尋ね、それぞれがまた自分の上位に尋ねます。メッセージ数は二乗で増えます。',
  'Chang–Roberts: the most expensive ring': 'Chang–Roberts：最も費用のかかるリング',
  'All members start at once, on a ring on which strength decreases: every candidacy travels as far as possible.':
    '強さの順に並んだリングで、全メンバーが同時に始まります。どの立候補も、行けるところまで遠くへ進みます。',
  'Ring: the list skips members that are down': 'リング：リストはダウンしたメンバーを飛ばす',
  'The message collects the list of running members on its way round the ring. It skips members that are down.':
    'メッセージはリングを回りながら、動いているメンバーのリストを集めます。ダウンしたメンバーは飛ばします。',
  'Roulette: a random choice': 'ルーレット：無作為な選択',
  'No member is stronger than another. Members draw numbers, and a roulette wheel chooses the leader.':
    'ほかより強いメンバーはいません。メンバーが数を引き、ルーレットがリーダーを選びます。',
  'One leader resigns, the next one crashes': 'リーダーが辞任し、次のリーダーがクラッシュする',
  'Member 5 resigns in favour of member 3, which leads at once. When 3 crashes, the others must wait for their detectors and for the lease of 3 to expire.':
    'メンバー 5 がメンバー 3 を後任として辞任し、3 はすぐにリーダーになります。3 がクラッシュすると、ほかは検出器の報告と 3 のリースの期限切れを待たなければなりません。',
  'A group grows, and one of its members leaves': 'グループが大きくなり、1つのメンバーが去る',
  'Members 1 to 3 vote. Member 4 joins as an observer, which follows the leader and does not vote; when it has caught up, it becomes a voter. Then the leader removes itself. Member 5 stays outside: select it and press a.':
    'メンバー 1 から 3 が投票します。メンバー 4 はオブザーバーとして加わり、投票せずにリーダーに従い、追いつくと投票者になります。その後、リーダーが自分自身を外します。メンバー 5 は外にいます。選んで a を押してください。',
  'Bully and Bully_FD with the same faults': '同じ障害のもとでの Bully と Bully_FD',
  'The same crash under both algorithms: the failure detector saves messages and costs waiting time.':
    '両方のアルゴリズムに同じクラッシュを与えます。障害検出器はメッセージを減らし、待ち時間を増やします。',
  'A partition: each side elects a leader': '分断：両側がそれぞれリーダーを選ぶ',
  'The two sides of a partition cannot communicate. Bully promises agreement only among members that can, so each side has a leader.':
    '分断された両側は通信できません。Bully は通信できるメンバーの間の合意しか約束しないので、両側にリーダーができます。',
  'The same partition with a majority': '同じ分断、過半数がある場合',
  'A leader needs durable votes from a majority. The minority elects no leader, and no term has two leaders.':
    'リーダーには過半数の永続的な票が必要です。少数側はリーダーを選べず、どの任期にもリーダーは2つできません。',
  'A pause looks like a crash': '一時停止はクラッシュに見える',
  'The leader executes nothing for a while, as during a garbage collection. The heartbeat detector reports it as down, which is a mistake. Bully_FD relies on its detector, so it breaks its promise.':
    'ガベージコレクションのときのように、リーダーがしばらく何も実行しません。ハートビート検出器はダウンしたと誤って報告します。Bully_FD は検出器に頼るため、約束を破ります。',
  'Three leaders crash in a row': '3つのリーダーが続けてクラッシュする',
  'Each new leader crashes soon after its election.':
    '新しいリーダーは、どれも当選してまもなくクラッシュします。',
  'One message in five is lost': 'メッセージの5つに1つが失われる',
  'Timeouts and repeated messages still complete the election.':
    'タイムアウトとメッセージの繰り返しにより、選挙はそれでも終わります。',
  'The candidate crashes during its election': '選挙中に候補がクラッシュする',
  'The members that sent it an ack wait for a leader until their detectors report the crash.':
    '候補に ack を送ったメンバーは、検出器がクラッシュを報告するまでリーダーを待ちます。',
  '25 members, the leader crashes': '25 メンバー、リーダーのクラッシュ',
  'Hundreds of messages at once: the quadratic cost of Bully.':
    '一度に数百のメッセージ：Bully の二乗の費用です。',
  '100 members on a ring': 'リング上の 100 メンバー',
  'All members start at once, on a ring on which each successor is stronger. Every candidacy but that of the strongest ends at the next member: 3n − 1 = 299 messages.':
    '次のメンバーほど強いリングで、全メンバーが同時に始まります。最も強いメンバー以外の立候補は、すぐ次のメンバーで終わります。メッセージは 3n − 1 = 299 です。',
  'Bully as printed by Park 2008: the last claim wins':
    'Park 2008 の原文どおりの Bully：最後の主張が勝つ',
  'Bully as printed by Gupta: a late claim wins': 'Gupta の原文どおりの Bully：遅れた主張が勝つ',
  'Bully as printed by Hirata: a late claim wins': 'Hirata の原文どおりの Bully：遅れた主張が勝つ',
  'Bully_FD as printed: members follow two leaders':
    '原文どおりの Bully_FD：メンバーが2つのリーダーに従う',
  'Chang–Roberts as printed: a crash loses the message':
    '原文どおりの Chang–Roberts：クラッシュでメッセージが失われる',
  'Ring as printed: a crash loses the list': '原文どおりのリング：クラッシュでリストが失われる',
  'Roulette as printed: the members never agree':
    '原文どおりのルーレット：メンバーは永久に合意しない',
}
