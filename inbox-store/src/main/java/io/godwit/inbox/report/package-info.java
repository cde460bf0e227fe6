/**
 * What operators learn of stored sessions, and of waits for other nodes: events, and meters of what is counted. Leaders
 * and carriers tell it, and it asks nobody.
 */
@NullMarked
package io.godwit.inbox.report;

import org.jspecify.annotations.NullMarked;
