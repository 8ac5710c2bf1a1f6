/** Japanese titles, tasks and hints of the challenges, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const CHALLENGES: Phrases = {
  'A successor': '後任',
  'Make a second member lead. You have one crash.':
    '2つ目のメンバーをリーダーにしてください。クラッシュを1回使えます。',
  'The strongest member leads. Wait until it does.':
    '最も強いメンバーがリーダーになります。それまで待ってください。',
  'Crash member 5 after it has become the leader.':
    'メンバー 5 がリーダーになった後でクラッシュさせてください。',
  'Two sides, two leaders': '両側に2つのリーダー',
  'Make two members lead at the same moment. You have one cut.':
    '同じ時点に2つのメンバーがリーダーになるようにしてください。切断を1回使えます。',
  'Bully asks no majority. Who cannot hear the leader elects another one.':
    'Bully は過半数を求めません。リーダーの声が届かない側は、別のリーダーを選びます。',
  'Isolate member 5 while it leads, and wait until the detectors of the others report it.':
    'メンバー 5 がリーダーの間に隔離し、ほかの検出器が報告するまで待ってください。',
  'A pause is not a crash': '一時停止はクラッシュではない',
  'Break the agreement of Bully_FD while all members are up. You have one pause.':
    '全メンバーが動いている間に Bully_FD の合意を破ってください。一時停止を1回使えます。',
  'Bully_FD relies on its detector. When is a heartbeat detector wrong?':
    'Bully_FD は検出器に頼ります。ハートビート検出器はいつ誤るでしょうか。',
  'Pause the leader. It still believes that it leads while the others elect a successor.':
    'リーダーを一時停止してください。ほかが後任を選ぶ間も、自分がリーダーだと信じています。',
  'Choose the successor': '後任を選ぶ',
  'Let member 2 lead when the run ends. You have one resignation.':
    '実行の終わりにメンバー 2 がリーダーであるようにしてください。辞任を1回使えます。',
  'A leader that resigns may name its successor.': '辞任するリーダーは後任を指名できます。',
  'Select member 2 while 5 leads, and press g.':
    '5 がリーダーの間にメンバー 2 を選び、g を押してください。',
  'The ring loses its message': 'リングがメッセージを失う',
  'Leave the printed Chang–Roberts without a leader for ever. You have one crash.':
    '原文どおりの Chang–Roberts が永久にリーダーを持たないようにしてください。クラッシュを1回使えます。',
  'The candidacy of the strongest member is a single message. Where is it?':
    '最も強いメンバーの立候補は1つのメッセージです。今どこにあるでしょうか。',
  'A crash loses the messages that are on their way to the member.':
    'クラッシュすると、そのメンバーに向かうメッセージも失われます。',
  'Crash the strongest member before it has announced itself.':
    '最も強いメンバーが当選を知らせる前にクラッシュさせてください。',
  'Half is no majority': '半分は過半数ではない',
  'Keep four members without a leader for ten seconds. You have one cut.':
    '4つのメンバーを10秒間リーダーのない状態にしてください。切断を1回使えます。',
  'A candidate of Raft needs three of four votes.': 'Raft の候補には4票のうち3票が必要です。',
  'A cut between two groups is written, not clicked: the tab Faults takes “cut 1,2|3,4@20ms”.':
    '2つの組の間の切断は、クリックではなく文字で書きます。障害タブに「cut 1,2|3,4@20ms」と書いてください。',
  'Cut two members from the other two before anyone leads.':
    '誰かがリーダーになる前に、2つのメンバーをほかの2つから切断してください。',
  'Five members without a leader': 'リーダーのない5メンバー',
  'Keep five members of Bully_FD without a leader for ten seconds. You have one cut, of one link.':
    'Bully_FD の5つのメンバーを10秒間リーダーのない状態にしてください。1本のリンクの切断を1回使えます。',
  'The perfect detector sees a member as up as long as it is not cut off from all.':
    '完全な検出器は、全員から切断されていない限り、そのメンバーを動いていると見ます。',
  'The strongest member needs an answer of every other member before it leads.':
    '最も強いメンバーは、リーダーになる前にほかの全員の応答を必要とします。',
  'Cut the link between 5 and any other member before its Halt has arrived.':
    '5 の Halt が届く前に、5 とほかの1つとの間のリンクを切断してください。',
  'The return': '帰還',
  'Make two members lead at the same moment without a cut. You have one crash and one recovery.':
    '切断なしで、同じ時点に2つのメンバーがリーダーになるようにしてください。クラッシュと復旧を1回ずつ使えます。',
  'Bully promises agreement in the end, not at every moment.':
    'Bully が約束するのは最終的な合意であり、すべての時点の合意ではありません。',
  'The strongest member takes the leadership back when it recovers. The old leader learns of it later.':
    '最も強いメンバーは復旧するとリーダーの座を取り戻します。前のリーダーがそれを知るのは後です。',
  'The last claim wins': '最後の主張が勝つ',
  'Let the printed Bully end with members that follow different leaders. You have one crash and one recovery.':
    '原文どおりの Bully が、異なるリーダーに従ったまま終わるようにしてください。クラッシュと復旧を1回ずつ使えます。',
  'A member of the printed text believes the last claim that it receives.':
    '原文のメンバーは、最後に受け取った主張を信じます。',
  'Let 4 recover while 3 is about to announce itself: the two claims cross on their way.':
    '3 が当選を知らせようとする時に 4 を復旧させてください。2つの主張が途中ですれ違います。',
  'Recover member 4 about 23 ms after its crash.':
    'クラッシュの約 23 ms 後にメンバー 4 を復旧させてください。',
  'A long wait': '長い待ち時間',
  'Keep the ring of Chang–Roberts without a leader for 150 ms while four members are up. You have one crash.':
    '4つのメンバーが動いているのに、Chang–Roberts のリングを 150 ms の間リーダーのない状態にしてください。クラッシュを1回使えます。',
  'The corrected algorithm repairs a lost message after a time-out. How long is that?':
    '修正版は、失われたメッセージをタイムアウトの後に補います。それはどれくらいの長さでしょうか。',
  'Crash the strongest member while its candidacy goes round.':
    '最も強いメンバーの立候補が回っている間に、そのメンバーをクラッシュさせてください。',
  'An expensive election': '高くつく選挙',
  'Make Garcia-Molina’s Bully send 60 election messages; without a fault it sends 32. You have one crash.':
    'Garcia-Molina の Bully に選挙のメッセージを 60 送らせてください。障害がなければ 32 です。クラッシュを1回使えます。',
  'An election that is interrupted is paid for twice.': '中断された選挙の費用は二度払われます。',
  'Let the strongest member halt all others, and crash before it is of use.':
    '最も強いメンバーにほかの全員を止めさせ、役に立つ前にクラッシュさせてください。',
  'Deposed without a crash': 'クラッシュなしの退位',
  'Make a second member lead under majorities and leases, without a crash. You have one pause.':
    '過半数とリースのもとで、クラッシュなしに2つ目のメンバーをリーダーにしてください。一時停止を1回使えます。',
  'The followers must suspect the leader, and its lease must run out.':
    'フォロワーがリーダーを疑い、リーダーのリースが切れる必要があります。',
  'Pause member 5 while it leads, and do not resume it.':
    'メンバー 5 がリーダーの間に一時停止し、再開しないでください。',
  'Four terms': '4つの任期',
  'Make a member of Raft reach term 4. You have two crashes.':
    'Raft のメンバーの1つを任期 4 に到達させてください。クラッシュを2回使えます。',
  'Each election begins a term. Two crashes of leaders make three terms.':
    '選挙のたびに任期が始まります。リーダーが2回クラッシュすると、任期は3つです。',
  'Crash the second leader, or a candidate, while the votes are on their way: this term is lost, too.':
    '2つ目のリーダーか候補を、票が届く途中でクラッシュさせてください。その任期も失われます。',
  'A wheel that nobody spins': '誰も回さないルーレット',
  'Leave the printed roulette without agreement for ever. You have one crash.':
    '原文どおりのルーレットが永久に合意しないようにしてください。クラッシュを1回使えます。',
  'A voter of the printed text waits for its coordinator without a time-out.':
    '原文の投票者は、タイムアウトなしにコーディネーターを待ちます。',
  'Who is the coordinator? Crash it after the others have voted for it.':
    'コーディネーターは誰でしょうか。ほかが投票した後にクラッシュさせてください。',
  'A ring without mercy': '容赦のないリング',
  'Leave Peterson’s ring without a leader. You have one lost message.':
    'Peterson のリングをリーダーのない状態にしてください。メッセージの損失を1回使えます。',
  'Peterson’s algorithm assumes a ring without faults, and repeats no message.':
    'Peterson のアルゴリズムは障害のないリングを仮定し、メッセージを繰り返しません。',
  'Not every message matters: a late one is about a number that is still in the race.':
    'すべてのメッセージが重要なわけではありません。遅いものは、まだ競争に残る数についてのものです。',
  'Press m to select a message in flight, and d to drop it.':
    'm で送信中のメッセージを選び、d で破棄してください。',
  'The stable leader moves': '安定したリーダーが移る',
  'Let member 3 lead a stable group in the end, without a crash. You have one cut and one heal.':
    'クラッシュなしで、安定したグループの最後にメンバー 3 がリーダーであるようにしてください。切断と修復を1回ずつ使えます。',
  'The rounds belong to the members in turn: after the round of 5 comes the round of 1.':
    'ラウンドはメンバーの順番です。5 のラウンドの次は 1 のラウンドです。',
  'A member that suspects the leader begins the next round. Isolate one for so long that it begins some.':
    'リーダーを疑うメンバーは次のラウンドを始めます。いくつか始めるほど長く、1つのメンバーを隔離してください。',
  'Isolate member 3 at about 560 ms, and heal all links about 70 ms later.':
    '約 560 ms にメンバー 3 を隔離し、約 70 ms 後にすべてのリンクを修復してください。',
  'Asleep for ever': '永遠の眠り',
  'Make the members of the printed Bully_FD wait for ever, though the strongest is up. You have one crash.':
    '最も強いメンバーが動いているのに、原文どおりの Bully_FD のメンバーを永久に待たせてください。クラッシュを1回使えます。',
  'The printed text ends an election when the last Ack arrives. What if it never does?':
    '原文は、最後の Ack が届いたときに選挙を終えます。届かなければどうなるでしょうか。',
  'Crash a weaker member after its Halt has left, and before its Ack arrives.':
    'より弱いメンバーを、Halt が出た後、その Ack が届く前にクラッシュさせてください。',
  'Member 2 must crash about 24 ms after the start.':
    'メンバー 2 は、開始の約 24 ms 後にクラッシュしなければなりません。',
  'Two wheels': '2つのルーレット',
  'Make two members of the printed roulette lead at the same moment. You have one delay.':
    '原文どおりのルーレットで、同じ時点に2つのメンバーがリーダーになるようにしてください。遅延を1回使えます。',
  'A choice that arrives late is still believed.': '遅れて届いた選択も信じられます。',
  'Delay a message from 2 to 1 at the time of the choice, about 50 ms.':
    '選択のころ、約 50 ms に、2 から 1 へのメッセージを遅らせてください。',
  'A slow member': '遅いメンバー',
  'Break the agreement of Bully_FD without a crash, a pause or a cut. You have one slow member.':
    'クラッシュ、一時停止、切断なしに Bully_FD の合意を破ってください。遅いメンバーを1つ使えます。',
  'A member that needs 20 ms for each message handles heartbeats later than they come.':
    'メッセージごとに 20 ms かかるメンバーは、ハートビートを届くより遅く処理します。',
  'Slow any member down during the first election.':
    '最初の選挙の間に、どれかのメンバーを遅くしてください。',
  'The run that the proof of 2004 overlooks': '2004 年の証明が見落とした実行',
  'Make two members of the printed Bully_FD follow different leaders. You have one crash, one recovery and two delays.':
    '原文どおりの Bully_FD で、2つのメンバーが異なるリーダーに従うようにしてください。クラッシュ1回、復旧1回、遅延2回を使えます。',
  'The proof supposes that an election is over when its leader crashes. Here one begins before all members have noticed the crash.':
    '証明は、リーダーがクラッシュするとき選挙は終わっていると仮定します。ここでは、全メンバーがクラッシュに気づく前に選挙が始まります。',
  'Member 3 must come back while 2 collects its Acks, and after one of the others has noticed the crash.':
    '2 が Ack を集めている間、そしてほかの1つがクラッシュに気づいた後に、メンバー 3 が戻らなければなりません。',
  'Then delay what 3 sends to 2, so that 2 announces itself after 1 has been halted by 3.':
    '次に 3 から 2 へ送られるものを遅らせ、1 が 3 に止められた後に 2 が当選を知らせるようにします。',
  'Crash 3 at about 67 ms and recover it 55 ms later.':
    '約 67 ms に 3 をクラッシュさせ、55 ms 後に復旧させてください。',
}
