@NullMarked
package io.godwit.broker.plugin;

import org.jspecify.annotations.NullMarked;
