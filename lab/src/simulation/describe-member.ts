/** Describes a member in words, for screen readers and tooltips. */
import { t } from '../language/translate.ts'
import type { MemberFrame } from './frames.ts'

export function describeMember({ label, ...member }: MemberFrame): string {
  return [t('member.name', { name: label }), ...partsOf(member)].join(', ')
}

/** The same without its name. */
export function conditionOf(member: MemberFrame): string {
  return partsOf(member).join(', ')
}

function partsOf(member: Omit<MemberFrame, 'label'>): string[] {
  const { role, up, paused, termText, leader, suspects, seat, isSeated } = member
  const seated = !isSeated || seat === 'outside' ? [] : [t(`seat.${seat}`)]
  if (!up) return [...seated, t('role.crashed')]
  const parts = [t(`role.${role}`), ...(paused ? [t('role.paused')] : []), ...seated]
  parts.push(t('member.inTerm', { term: termText }))
  parts.push(
    leader === 0 ? t('member.followsNone') : t('member.followsLeader', { leader: String(leader) }),
  )
  if (suspects.length > 0) parts.push(t('member.suspects', { peers: suspects.join(', ') }))
  return parts
}
