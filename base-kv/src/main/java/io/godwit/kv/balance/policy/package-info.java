/**
 * The shipped balancers and split hinters, their settings, and the load that they go by. They are functions of what
 * they are given, and do not know who asks them.
 */
@NullMarked
package io.godwit.kv.balance.policy;

import org.jspecify.annotations.NullMarked;
