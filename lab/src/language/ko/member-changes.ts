/** Holds the Korean texts for adding, promoting and removing members: buttons, announcements, keyboard help. */
import type { memberChanges as english } from '../en/member-changes.ts'

export const memberChanges: Readonly<Record<keyof typeof english, string>> = {
  'fault.add': '멤버 {name} 추가',
  'fault.adds': '멤버 {name}{name:을/를} 추가하도록 요청합니다',
  'fault.promote': '투표자로 승격',
  'fault.promotes': '멤버 {name}{name:을/를} 투표자로 승격하도록 요청합니다',
  'fault.remove': '제거',
  'fault.removes': '멤버 {name}{name:을/를} 제거하도록 요청합니다',
  'keys.members': '멤버 추가 또는 관찰자를 투표자로 승격, 멤버 제거',
}
