/** Users, rules and SCRAM of the packaged broker, under real clients and with the tool that edits the users. */
@NullMarked
package io.godwit.it.auth;

import org.jspecify.annotations.NullMarked;
