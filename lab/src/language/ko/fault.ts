/** Korean texts about faults and changes of the group, on buttons and in announcements. */
import type { fault as english } from '../en/fault.ts'

export const fault: Readonly<Record<keyof typeof english, string>> = {
  'fault.add': '멤버 {name} 추가',
  'fault.adds': '멤버 {name}{name:을/를} 추가하도록 요청합니다',
  'fault.promote': '투표자로 승격',
  'fault.promotes': '멤버 {name}{name:을/를} 투표자로 승격하도록 요청합니다',
  'fault.remove': '제거',
  'fault.removes': '멤버 {name}{name:을/를} 제거하도록 요청합니다',
  'keys.members': '멤버 추가 또는 관찰자를 투표자로 승격, 멤버 제거',
}
