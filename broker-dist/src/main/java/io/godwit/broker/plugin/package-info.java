/**
 * Plugins while the broker runs: their context, their life cycle, and the guards between the broker and their code
 * (docs/adr/0084).
 */
@NullMarked
package io.godwit.broker.plugin;

import org.jspecify.annotations.NullMarked;
