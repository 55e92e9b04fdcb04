// All of Holdfast but the coroutine forms (holdfast/asio.hpp). Start with client.hpp, then mutex.hpp.
#pragma once

#include <holdfast/barrier.hpp>
#include <holdfast/cache.hpp>
#include <holdfast/client.hpp>
#include <holdfast/codec.hpp>
#include <holdfast/doctor.hpp>
#include <holdfast/elector.hpp>
#include <holdfast/error.hpp>
#include <holdfast/inspect.hpp>
#include <holdfast/latch.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/meeting_options.hpp>
#include <holdfast/multi_lock.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/options.hpp>
#include <holdfast/presets.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/result.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/settings.hpp>
#include <holdfast/settings_report.hpp>
#include <holdfast/severity.hpp>
#include <holdfast/shared_mutex.hpp>
#include <holdfast/stats.hpp>
#include <holdfast/version.hpp>
