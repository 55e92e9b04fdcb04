// All of Holdfast but the coroutine forms (holdfast/asio.hpp). Start with client.hpp, then mutex.hpp.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/doctor.hpp>
#include <holdfast/error.hpp>
#include <holdfast/inspect.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/options.hpp>
#include <holdfast/presets.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/result.hpp>
#include <holdfast/settings.hpp>
#include <holdfast/settings_report.hpp>
#include <holdfast/severity.hpp>
#include <holdfast/stats.hpp>
#include <holdfast/version.hpp>
