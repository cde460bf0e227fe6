@NullMarked
package io.godwit.mqtt.top;

import org.jspecify.annotations.NullMarked;
