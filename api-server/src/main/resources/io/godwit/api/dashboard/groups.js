import {path, query} from './api.js'
import {el, fill} from './dom.js'
import {count, visible} from './format.js'
import {CANNOT, canBeNamed, labelled, linkTo, searchForm, textField} from './names.js'
import {list} from './pager.js'
import {receivers} from './receivers.js'

export const title = 'Shared groups'
export const isOfTenant = true

export function show(frame) {
  const shared = frame.where.rest[0]
  if (shared !== undefined && shared !== '') {
    showOne(frame, shared, frame.where.query.get('tenant') ?? '')
  } else {
    showList(frame)
  }
}

function showList(frame) {
  const asked = frame.where.query
  const home = asked.get('tenant') ?? ''
  const group = textField('group', asked.get('group'))
  const filter = textField('filter', asked.get('filter'))
  const tenant = textField('tenant', home, {maxlength: '256'})
  const found = list(frame, {path: '/api/v1/groups', search: {group: asked.get('group'), filter: asked.get('filter'),
    tenant: home}, caption: 'Shared groups', one: 'group', many: 'groups', keyOf: each => each.sharedFilter,
  columns: [{title: 'Shared filter', kind: 'wide'}, {title: 'Group', kind: 'wrap'}, {title: 'Sharing'},
    {title: 'Live members', kind: 'number'}, {title: 'Stored members', kind: 'number'}],
  cells: each => [linkTo('groups', home, each.sharedFilter), visible(each.group || '–', 60), each.sharing,
    count(each.live), count(each.stored)]})
  frame.main.append(searchForm(() => '#/groups' + query({group: group.value, filter: filter.value,
    tenant: tenant.value}), found.restart,
  labelled('group', 'Group', group),
  labelled('filter', 'Filter without the group', filter),
  !frame.me.tenant && labelled('tenant', 'Tenant', tenant)), found.element)
}

function showOne(frame, shared, tenant) {
  fill(document.getElementById('title'), 'Group ', el('bdi', {id: 'shared-filter'}, visible(shared)))
  document.title = 'Group ' + visible(shared, 60) + ' - Godwit'
  frame.main.append(el('p', {class: 'links'}, el('a', {href: '#/groups' + query({tenant})}, 'All shared groups')))
  if (!canBeNamed(shared)) {
    frame.main.append(el('p', {class: 'card error', role: 'alert'}, CANNOT))
    return
  }
  receivers(frame, '/api/v1' + path('groups', shared, 'members'), {tenant}, 'member', 'members')
}
