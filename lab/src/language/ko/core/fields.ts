/** Korean explanations of the fields of algorithms, by the comments of their schemas. */
import type { Phrases } from '../../translate.ts'

export const FIELDS: Phrases = {
  'answered the leader `bondedTo` lately; NONE: before a restart, an unknown leader':
    '최근에 리더 `bondedTo`에게 답함. NONE: 재시작 전의 알 수 없는 리더',
  'of that leader or candidate; 0: unknown': '그 리더나 후보의 것. 0: 알 수 없음',
  'which of the two timers runs from the round that is out':
    '두 타이머 가운데 나가 있는 라운드부터 도는 것',
  'a majority answered that round': '과반수가 그 라운드에 답함',
  'of the latest answer, while a lease that the member inherits could run from it':
    '마지막 답변의 것. 멤버가 이어받을 임차가 그때부터 셀 수 있는 동안',
  'leader: the strongest member that answered the round that is out,':
    '리더: 나가 있는 라운드에 답한 가장 강한 멤버,',
  'and the mark of that answer,': '그 답변의 표시,',
  'and the incarnation that gave it': '답한 가동 회차',
  'the bond that the round that is out asks for; 0: that of the first configuration':
    '나가 있는 라운드가 요구하는 구속. 0: 첫 구성의 것',
  "a bond that was longer than the present timing's, and may not be over":
    '현재 시간 설정보다 길었고 아직 끝나지 않았을 수 있는 구속',
  'may vote': '투표할 수 있음',
  'not admitted: has outwaited every lease': '승인되지 않음: 모든 임차보다 오래 기다림',
  'the round of Who? that is out': '나가 있는 Who?의 라운드',
  'members without state that answered it': '그에 답한, 상태가 없는 멤버',
  'admitted members that answered it': '그에 답한, 승인된 멤버',
  'a member said that the group no longer has its first configuration':
    '그룹이 더는 첫 구성이 아니라고 한 멤버가 알림',
  'members whose Who? this member answered without state':
    '이 멤버가 상태 없이 Who?에 답해 준 멤버',
  "no vote for a smaller one follows; in Norm the leader's":
    '더 작은 것에는 이제 투표하지 않음. Norm에서는 리더의 것',
  "the largest with this member's vote: `term`, or in Wait one that may lapse":
    '이 멤버가 투표한 가장 큰 임기: `term`, Wait에서는 무효가 될 수 있는 것',
  'the largest known to have any vote: candidates exceed it':
    '표가 있다고 알려진 가장 큰 임기: 후보는 이보다 커야 함',
  'the member that is watched: the leader, or the candidate whose Ldr is awaited':
    '감시하는 멤버: 리더, 또는 Ldr을 기다리는 후보',
  'superiors reported down': '중단으로 보고된 상위 멤버',
  'superiors that backed off or resigned: their turn is over':
    '물러나거나 사임한 상위 멤버: 차례가 끝남',
  'this member is one of those': '이 멤버가 그중 하나',
  'of this candidacy, or of this round of Norm?': '이 입후보의, 또는 Norm?의 이 라운드의 것',
  'whose Halt waits until the member is free to vote, with its term and round':
    '멤버가 투표할 수 있게 될 때까지 Halt가 기다리는 후보, 그 임기와 라운드',
  'and the incarnation that sent it': '보낸 가동 회차',
  'the round that is out; in Wait, the one that was answered':
    '나가 있는 라운드. Wait에서는 답한 라운드',
  'the last round that asked for votes': '표를 요청한 마지막 라운드',
  'in Elec2: asked for no votes, because a leader resigned in favour of this member':
    'Elec2에서: 리더가 이 멤버를 후임으로 사임했으므로 표를 요청하지 않음',
  'this one; a proof of death names incarnations': '현재 가동 회차. 중단 증거는 가동 회차를 가리킴',
  'in an earlier incarnation, which may have answered a leader':
    '리더에게 답했을 수 있는 이전 가동 회차에서',
  'the sender voted for this term, which is larger': '보낸 멤버는 더 큰 이 임기에 투표함',
  'of the handover to this member': '이 멤버에게 인계한 것',
  'the end of Elec1 and Wait': 'Elec1과 Wait의 끝',
  'of elid: the member that holds the election': 'elid의 일부: 선거를 여는 멤버',
  'the rest of elid': 'elid의 나머지',
  'superiors reported down in this stage': '이 단계에서 중단으로 보고된 상위 멤버',
  'halted juniors': '멈춘 하위 멤버',
  "whose Halt waits for the detector's answer about `head`, and its mark":
    '`head`에 대한 검출기의 답변을 Halt가 기다리는 후보, 그 표시',
  "the largest of the member's term and those in the Acks":
    '멤버의 임기와 Ack에 든 임기 가운데 가장 큰 것',
  "the sender's configuration, by its stamp": '보낸 멤버의 구성, 스탬프로 나타냄',
  'and with its content': '그 내용도 함께',
  'Elec: asked the superiors; WaitC: one of them answered':
    'Elec: 상위 멤버에게 물음. WaitC: 그중 하나가 답함',
  'claims to lead while a request about the stronger leader is open; else NONE':
    '더 강한 리더에 대한 질의가 진행되는 동안 리더라고 주장하는 멤버. 그 밖에는 NONE',
  "one more than the claim's": '주장에 든 것보다 하나 큼',
  'the same claim, repeated': '같은 주장의 반복',
  "the sender's term, above that of the claim": '주장의 임기보다 큰, 보낸 멤버의 임기',
  "Elec: 004's participant": 'Elec: 004의 참여자',
  'the round': '라운드',
  'the largest number sent on in this round; NONE: not a participant':
    '이 라운드에서 전달한 가장 큰 번호. NONE: 참여자가 아님',
  "the leader's own ELECTED has returned": '리더 자신의 ELECTED가 돌아옴',
  'the member to send to, which is watched; NONE before the first message':
    '보낼 상대이자 감시하는 멤버. 첫 메시지 전에는 NONE',
  'reported down in this round': '이 라운드에서 중단으로 보고됨',
  'c: the leader, or in Reorganization the next one': 'c: 리더, Reorganization에서는 다음 리더',
  'h: the member that sent the last Halt': 'h: 마지막 Halt를 보낸 멤버',
  'the member whose AreYouNormal is out': 'AreYouNormal을 보내 둔 멤버',
  "the largest of the member's term and those in the answers to Halt":
    '멤버의 임기와 Halt의 답변에 든 임기 가운데 가장 큰 것',
  'to each of the four': '넷 각각에 대해',
  'for a stronger member, or the one that sent Halt': '더 강한 멤버, 또는 Halt를 보낸 멤버에 대해',
  'of the coordinator': '코디네이터의 것',
  'the four modes of 003 §2.2': '003 §2.2의 네 상태',
  "the candidate that got the member's vote in this term": '이 임기에 멤버의 표를 받은 후보',
  'in an earlier incarnation, which may have taken part': '참여했을 수 있는 이전 가동 회차에서',
  'there is no leader, and the member draws numbers, unless it is bonded':
    '리더가 없고, 구속되지 않은 멤버는 번호를 뽑음',
  'the greatest number that the member ever drew; 0: none': '멤버가 뽑은 가장 큰 번호. 0: 없음',
  'how many of the latest draws in a row were above the threshold':
    '최근 연달아 기준을 넘은 추첨 횟수',
  'the members that voted for this candidate in this term,': '이 임기에 이 후보에게 투표한 멤버,',
  'and the greatest number of each': '각각의 가장 큰 번호',
  "the members that answered the proposal, or the leader's heartbeat":
    '제안이나 리더의 하트비트에 답한 멤버',
  'the wheel has chosen in this term': '이 임기에 룰렛이 선택함',
  'c, in Norm': 'Norm에서의 c',
  'g, the number of the group': 'g, 그룹의 번호',
  'of a coordinator: the other members of its group': '코디네이터의 것: 그룹의 다른 멤버',
  'the answers to Are-you-coordinator are still to come':
    'Are-you-coordinator의 답변이 아직 오지 않음',
  'the coordinators among those answers': '그 답변 가운데 코디네이터',
  'the largest number of their groups': '그들 그룹의 가장 큰 번호',
  'to Are-you-coordinator': 'Are-you-coordinator에 대해',
  'the answer to Are-you-there': 'Are-you-there의 답변',
  'to the invitations': '초대에 대해',
  'before a weaker coordinator invites a stronger one':
    '더 약한 코디네이터가 더 강한 것을 초대하기 전',
  'Elec: it trusts nobody yet': 'Elec: 아직 아무도 신뢰하지 않음',
  'superiors of which the detector has not spoken since the start':
    '시작한 뒤로 검출기가 언급하지 않은 상위 멤버',
  'superiors that it last reported down': '마지막에 중단으로 보고된 상위 멤버',
  "the sender's term, above that of the leader": '리더의 임기보다 큰, 보낸 멤버의 임기',
  'votedFor, in this term': '이 임기의 votedFor',
  'of this term, or for a pre-vote': '이 임기의 것, 또는 예비 투표용',
  'RequestVote of the term that would follow': '다음 임기의 RequestVote',
  "the voter's term; of a granted pre-vote, the one asked about":
    '투표자의 임기. 승인된 예비 투표에서는 물어본 임기',
  'AppendEntries without entries': '항목이 없는 AppendEntries',
  "AppendEntries is refused: the leader's term is over": 'AppendEntries 거부: 리더의 임기가 끝남',
  'Idle: waits for a COORDINATOR': 'Idle: COORDINATOR를 기다림',
  "the member's own ELECTION is under way": '멤버 자신의 ELECTION이 진행 중',
  'found down while an ELECTION was passed on': 'ELECTION을 전달하다 중단으로 판명됨',
  'outside "the new ring": found down after its COORDINATOR was known':
    '“새 링” 밖: COORDINATOR가 알려진 뒤 중단으로 판명됨',
  'weaker than the leader, about which a request is open; else NONE':
    '질의가 진행 중인 리더보다 약한 멤버. 그 밖에는 NONE',
  'the message that was passed on last, to repeat it':
    '다시 보내기 위해 간직한, 마지막으로 전달한 메시지',
  "one more than the message's": '메시지의 것보다 하나 큼',
  'term: the largest collected': '임기: 모은 것 가운데 가장 큰 것',
  'Lost: a stronger candidate exists': 'Lost: 더 강한 후보가 있음',
  'there is one election only': '선거는 한 번뿐임',
  'one side has replied in this phase': '이 단계에서 한쪽이 답함',
  'what this member drew in its phase': '이 멤버가 자기 단계에서 뽑은 것',
  "of the numbers that have arrived, and the member's own": '도착한 번호와 자신의 번호 가운데',
  'the number that an active member holds in this phase, its own in the first':
    '활성 멤버가 이 단계에서 갖는 번호. 첫 단계에서는 자신의 것',
  'the number of the nearest active member before it; NONE: not arrived yet':
    '바로 앞 활성 멤버의 번호. NONE: 아직 도착하지 않음',
  'of an active member': '활성 멤버의 것',
  'the place of the last message in the order of phases': '단계 순서에서 마지막 메시지의 위치',
  'the larger of tid and ntid': 'tid와 ntid 가운데 큰 것',
  'in this term: a copy of the announcement begins no second leadership':
    '이 임기에: 알림의 사본이 두 번째 리더십을 시작하지 않음',
  'of heartbeats': '하트비트의 것',
  'the sender no longer leads in this term': '보낸 멤버는 이 임기에 더는 리더가 아님',
  'WaitC: a superior answered': 'WaitC: 상위 멤버가 답함',
  'with highest=up: the members that the detector reported down':
    'highest=up일 때: 검출기가 중단으로 보고한 멤버',
  'ldr, which 001 calls valid in Norm only': 'ldr. 001에 따르면 Norm에서만 유효함',
  'of elid': 'elid의 일부',
  '⟨incarn, nextel⟩, the same for all elections of an incarnation':
    '⟨incarn, nextel⟩. 한 가동 회차의 모든 선거에서 같음',
  'neighbours over which a repaired ring has closed': '복구된 링이 건너뛰어 닫은 이웃',
  '"who the members of the new ring are"': '“새 링의 멤버가 누구인지”',
  'while the request about its receiver is open': '받는 멤버에 대한 질의가 진행되는 동안',
  'successors found down as this message was sent': '이 메시지를 보낼 때 중단으로 판명된 후속 멤버',
  'the candidate that got the last vote of this round,': '이 라운드의 마지막 표를 받은 후보,',
  'the members that voted for this candidate,': '이 후보에게 투표한 멤버,',
  'the members that answered the proposal': '제안에 답한 멤버',
  'and for which number': '어느 번호에 대해서인지',
  '"Every node knows anytime how many nodes are up"':
    '“모든 노드는 몇 노드가 살아 있는지 언제나 안다”',
  'r, the round': 'r, 라운드',
  'in an earlier incarnation': '이전 가동 회차에서',
}
