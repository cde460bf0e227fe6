@NullMarked
package io.godwit.mqtt.tenant;

import org.jspecify.annotations.NullMarked;
