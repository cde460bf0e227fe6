/**
 * The members of the cluster.
 *
 * <pre>
 * ClusterMembership   the current members; tells ClusterListeners of changes on one thread
 *   Roster              decides who is a member, from views and announcements; no thread, no network
 *   MemberMessage       the messages between members, as bytes
 *   MembershipStack     the JGroups protocols and their settings; SeedDiscovery asks the addresses of SeedResolver
 *   MemberSockets       their sockets; with TLS, ListenSocket lets only certified nodes in
 * ProcessProbe        tells whether the process of a member has ended
 * </pre>
 *
 * <p>JGroups types do not leave this package.
 */
@NullMarked
package io.godwit.cluster.member;

import org.jspecify.annotations.NullMarked;
