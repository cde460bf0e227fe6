/**
 * Where ranges live and when they are cut: the interfaces of a balancing plugin.
 *
 * <p>A <em>key space</em> is what the configuration calls {@code dist}, {@code inbox} or {@code retain}. It is cut into
 * <em>ranges</em>, each kept by a few replicas of one Raft group. A <em>store</em> is one node's part of the key space,
 * named by the store id of the node. The <em>epoch</em> of a range rises with every split, merge and change of its
 * replicas.
 *
 * <p>Every node asks its {@link io.godwit.plugin.balance.RangeBalancer balancers}, in the order of the configuration,
 * about the ranges that it leads. A {@link io.godwit.plugin.balance.SplitHinter} watches the load of one range and
 * proposes where to cut it.
 */
@NullMarked
package io.godwit.plugin.balance;

import org.jspecify.annotations.NullMarked;
