/** What operators set for all nodes: bans and tokens, in replicated records of the dist store. */
@NullMarked
package io.godwit.broker.records;

import org.jspecify.annotations.NullMarked;
