/** Japanese texts about members: what they are, their configurations. */
import type { member as english } from '../en/member.ts'

export const member: Readonly<Record<keyof typeof english, string>> = {
  'member.name': 'メンバー {name}',
  'member.inTerm': '任期 {term}',
  'member.followsNone': 'どのリーダーにも従っていない',
  'member.followsLeader': '{leader} に従う',
  'member.suspects': '{peers} を疑う',
  'member.none': 'なし',
  'role.outside': 'グループ外',
  'role.outside.means': 'グループに属していない',
  'seat.voter': '投票者',
  'seat.observer': 'オブザーバー',
  'seat.observer.means': 'リーダーに従い、投票も立候補もしない',
  'configuration.title': '構成',
  'configuration.of': 'メンバー {name} の構成',
  'configuration.version': 'バージョン',
  'configuration.first': '最初の構成',
  'configuration.written': '任期 {term} のバージョン {version}',
  'configuration.voters': '投票者',
  'configuration.observers': 'オブザーバー',
  'configuration.period': '周期',
  'configuration.old': 'より新しい構成を持つメンバーがいます。',
  'configuration.committed': '投票者の過半数がこの構成を採用しました。',
}
