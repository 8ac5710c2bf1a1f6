/** Korean texts about members: what they are, their configurations. */
import type { member as english } from '../en/member.ts'

export const member: Readonly<Record<keyof typeof english, string>> = {
  'member.name': '멤버 {name}',
  'member.inTerm': '임기 {term}',
  'member.followsNone': '따르는 리더 없음',
  'member.followsLeader': '{leader}{leader:을/를} 따름',
  'member.suspects': '{peers}{peers:을/를} 의심',
  'member.none': '없음',
  'role.outside': '그룹 밖',
  'role.outside.means': '그룹에 속하지 않습니다',
  'seat.voter': '투표자',
  'seat.observer': '관찰자',
  'seat.observer.means': '리더를 따르며, 투표하지도 출마하지도 않습니다',
  'configuration.title': '구성',
  'configuration.of': '멤버 {name}의 구성',
  'configuration.version': '버전',
  'configuration.first': '최초 구성',
  'configuration.written': '임기 {term}의 버전 {version}',
  'configuration.voters': '투표자',
  'configuration.observers': '관찰자',
  'configuration.period': '주기',
  'configuration.old': '더 새로운 구성을 가진 멤버가 있습니다.',
  'configuration.committed': '투표자의 과반수가 이 구성을 채택했습니다.',
}
