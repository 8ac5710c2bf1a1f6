/** Holds the Japanese texts for adding, promoting and removing members: buttons, announcements, keyboard help. */
import type { memberChanges as english } from '../en/member-changes.ts'

export const memberChanges: Readonly<Record<keyof typeof english, string>> = {
  'fault.add': 'メンバー {name} を追加',
  'fault.adds': 'メンバー {name} の追加を求めます',
  'fault.promote': '投票者に昇格',
  'fault.promotes': 'メンバー {name} の投票者への昇格を求めます',
  'fault.remove': '削除',
  'fault.removes': 'メンバー {name} の削除を求めます',
  'keys.members': 'メンバーの追加またはオブザーバーの昇格、メンバーの削除',
}
