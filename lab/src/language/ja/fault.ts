/** Japanese texts about faults and changes of the group, on buttons and in announcements. */
import type { fault as english } from '../en/fault.ts'

export const fault: Readonly<Record<keyof typeof english, string>> = {
  'fault.add': 'メンバー {name} を追加',
  'fault.adds': 'メンバー {name} の追加を求めます',
  'fault.promote': '投票者に昇格',
  'fault.promotes': 'メンバー {name} の投票者への昇格を求めます',
  'fault.remove': '削除',
  'fault.removes': 'メンバー {name} の削除を求めます',
  'keys.members': 'メンバーの追加またはオブザーバーの昇格、メンバーの削除',
}
