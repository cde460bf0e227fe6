@NullMarked
package io.godwit.broker.settings;

import org.jspecify.annotations.NullMarked;
